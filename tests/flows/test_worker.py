"""A web server, a broker and a worker, each a process of its own, as in production."""

import json
import signal
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from celery import Celery
from django.utils import timezone

from budgets.models import Charge
from tests.servers import product
from tests.servers.processes import Child
from triage.models import Case, EpochDay, Finding, Result, Run, Upload, Verdict
from triage.terms import UploadState
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

# SQLite is for one process without a broker; this is how the product runs on PostgreSQL.
pytestmark = [pytest.mark.broker, pytest.mark.postgres]

REPORT = b"""<testsuite name="evals">
  <testcase classname="tests.evals" name="test_greeting"/>
  <testcase classname="tests.evals" name="test_refund">
    <properties>
      <property name="tiebreak.expected_label" value="fraud"/>
      <property name="tiebreak.label" value="billing"/>
    </properties>
    <failure message="assert 'billing' == 'fraud'"/>
  </testcase>
  <testcase classname="tests.evals" name="test_summary">
    <properties>
      <property name="tiebreak.expected_label" value="summary"/>
      <property name="tiebreak.label" value="summary"/>
    </properties>
    <failure message="assert 'A short text.' == 'A brief text.'"/>
  </testcase>
</testsuite>"""
# A flip without any history cannot be told from a near tie yet; it is held, never charged.
FINDINGS = {"tests.evals::test_refund": "near_tie", "tests.evals::test_summary": "expected_flake"}
RECORDED = {
    "Run": 1,
    "Upload": 1,
    "Case": 3,
    "Result": 2,
    "EpochDay": 2,
    "Finding": 0,
    "Verdict": 0,
    "Charge": 0,
}
JUDGED = {"Finding": 2, "Verdict": 1, "Charge": 1}
WAIT_S = 60


@dataclass(frozen=True)
class Client:
    """What CI does: it sends a report with its token and asks for the verdict."""

    server_url: str
    repo: str
    token: str

    def upload(self, *, wait: int) -> tuple[int, dict[str, Any]]:
        """Send the report; the answer is its status and its body."""
        query = urlencode({"repo": self.repo, "sha": "0" * 40, "run_id": "1", "wait": wait})
        return self._send(f"/api/v1/uploads?{query}", REPORT)

    def read(self, upload_id: str) -> tuple[int, dict[str, Any]]:
        """Wait for the verdict of an upload that was sent before."""
        return self._send(f"/api/v1/uploads/{upload_id}?wait={WAIT_S}")

    def _send(self, path: str, body: bytes | None = None) -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/xml"}
        request = urllib.request.Request(self.server_url + path, body, headers)
        with urllib.request.urlopen(request, timeout=2 * WAIT_S) as response:
            return response.status, json.load(response)


@pytest.fixture
def client(transactional_db: None, server_url: str) -> Client:
    """A client with a token of a repository that nothing was sent for."""
    repository = find_or_add_repository("acme/shop")
    return Client(server_url, repository.full_name, create_token(repository, "ci"))


def row_counts() -> dict[str, int]:
    """Return how many rows there are of everything that an upload writes."""
    tables = (Run, Upload, Case, Result, EpochDay, Finding, Verdict, Charge)
    return {table.__name__: table.objects.count() for table in tables}


def findings(document: dict[str, Any]) -> dict[str, str]:
    """Return the finding of every failing case."""
    return {each["case"]: each["finding"] for each in document["findings"]}


def test_a_worker_takes_an_upload_to_its_verdict(celery_worker: Child, client: Client) -> None:
    status, document = client.upload(wait=WAIT_S)
    assert status == 201, celery_worker.output
    assert document["conclusion"] == "on_hold"
    assert findings(document) == FINDINGS


@pytest.fixture
def dying_worker(
    transactional_db: None, web_server: object, product_env: dict[str, str]
) -> Iterator[Child]:
    """A worker that is killed as soon as it has recorded a run."""
    with product.worker(product_env, "--include=tests.servers.dying_worker") as worker:
        yield worker


def test_a_worker_killed_between_record_and_verdict_loses_nothing_and_counts_nothing_twice(
    dying_worker: Child, client: Client, product_env: dict[str, str]
) -> None:
    status, pending = client.upload(wait=0)
    assert (status, dying_worker.wait_until_dead()) == (202, -signal.SIGKILL), dying_worker.output
    assert Upload.objects.get().state == UploadState.RECORDED
    assert row_counts() == RECORDED

    expire_lease()
    with product.worker(product_env) as worker:
        Celery(broker=product_env["BROKER_URL"]).send_task("triage.sweep")
        status, document = client.read(pending["upload"]["id"])
        assert status == 200, worker.output
        assert findings(document) == FINDINGS
        status, replayed = client.upload(wait=WAIT_S)
    assert (status, replayed["findings"]) == (200, document["findings"])
    assert row_counts() == RECORDED | JUDGED


def expire_lease() -> None:
    """Let the lease of the dead worker run out without waiting for it."""
    past = timezone.now() - timedelta(seconds=1)
    Upload.objects.update(leased_until=past)
