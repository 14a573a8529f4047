"""A web server, a broker and a worker, each a process of its own, as in production."""

import json
import signal
import urllib.request
from collections import Counter
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
from tests.servers.dying_worker import DEADLY_REPOSITORY
from tests.servers.processes import Child
from triage.models import Case, EpochDay, Finding, Result, Run, Upload, Verdict
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
RECORDED = {"Run": 1, "Upload": 1, "Case": 3, "Result": 2, "EpochDay": 2}
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
def worker(
    transactional_db: None, web_server: object, product_env: dict[str, str]
) -> Iterator[Child]:
    """A worker, killed as soon as it has recorded a run of the deadly repository."""
    with product.worker(product_env, "--include=tests.servers.dying_worker") as worker:
        yield worker


def client(server_url: str, full_name: str) -> Client:
    """Return a client with a token of a repository that nothing was sent for."""
    repository = find_or_add_repository(full_name)
    return Client(server_url, full_name, create_token(repository, "ci"))


def row_counts() -> Counter[str]:
    """Return how many rows there are of everything that an upload writes."""
    tables = (Run, Upload, Case, Result, EpochDay, Finding, Verdict, Charge)
    return Counter({table.__name__: table.objects.count() for table in tables})


def findings(document: dict[str, Any]) -> dict[str, str]:
    """Return the finding of every failing case."""
    return {each["case"]: each["finding"] for each in document["findings"]}


def expire_lease() -> None:
    """Let the lease of the dead worker run out without waiting for it."""
    Upload.objects.update(leased_until=timezone.now() - timedelta(seconds=1))


def test_a_worker_killed_between_record_and_verdict_loses_nothing_and_counts_nothing_twice(
    worker: Child, server_url: str, product_env: dict[str, str]
) -> None:
    """One flow, since every process of it takes seconds to start: undisturbed, killed, repaired."""
    status, document = client(server_url, "acme/shop").upload(wait=WAIT_S)
    assert (status, findings(document)) == (201, FINDINGS), worker.output
    assert document["conclusion"] == "on_hold"
    undisturbed = row_counts()
    assert undisturbed == Counter(RECORDED | JUDGED)

    unlucky = client(server_url, DEADLY_REPOSITORY)
    status, pending = unlucky.upload(wait=0)
    assert (status, worker.wait_until_dead()) == (202, -signal.SIGKILL), worker.output
    assert row_counts() == undisturbed + Counter(RECORDED)

    expire_lease()
    with product.worker(product_env) as replacement:
        Celery(broker=product_env["BROKER_URL"]).send_task("triage.sweep")
        status, document = unlucky.read(pending["upload"]["id"])
        assert (status, findings(document)) == (200, FINDINGS), replacement.output
        status, replayed = unlucky.upload(wait=WAIT_S)
    assert (status, replayed["findings"]) == (200, document["findings"])
    assert row_counts() == undisturbed + undisturbed
