"""A web server, a broker and a worker, each a process of its own, as in production."""

import json
import signal
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from celery import Celery
from django.utils import timezone

from budgets.models import Charge
from tests.servers import product
from tests.servers.deaths import POINTS, PREFIX
from tests.servers.processes import Child
from triage.models import (
    Case,
    Epoch,
    EpochCircumstance,
    EpochDay,
    EpochHour,
    EpochLabel,
    FailureText,
    Finding,
    Observation,
    Part,
    Result,
    Run,
    Upload,
    Verdict,
)
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
    "Run": 1, "Part": 1, "Upload": 1, "Case": 3, "Result": 2, "Epoch": 2, "EpochDay": 2,
    "EpochHour": 2, "EpochLabel": 2, "EpochCircumstance": 2, "Observation": 2, "FailureText": 2,
}  # fmt: skip
JUDGED = {"Finding": 2, "Verdict": 1, "Charge": 1}
WAIT_S = 60
DYING = "--include=tests.servers.deaths"


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
def dying_env(
    transactional_db: None, product_env: dict[str, str], tmp_path: Path
) -> dict[str, str]:
    """The environment of workers that die once at every point."""
    return product_env | {"DEATHS": str(tmp_path)}


@pytest.fixture
def worker(web_server: object, dying_env: dict[str, str]) -> Iterator[Child]:
    """A worker in one process, which nothing starts again when it is killed."""
    with product.worker(dying_env, DYING) as worker:
        yield worker


def client(server_url: str, full_name: str) -> Client:
    """Return a client with a token of a repository that nothing was sent for."""
    repository = find_or_add_repository(full_name)
    return Client(server_url, full_name, create_token(repository, "ci"))


TABLES = (
    Run, Part, Upload, Case, Epoch, EpochDay, EpochHour, EpochLabel, EpochCircumstance, Result,
    Observation, FailureText, Finding, Verdict, Charge,
)  # fmt: skip


def row_counts(**scope: object) -> Counter[str]:
    """Return how many rows there are of everything that an upload writes."""
    counts = {table.__name__: table.objects.filter(**scope).count() for table in TABLES}
    return Counter({name: count for name, count in counts.items() if count})


def counted(full_name: str) -> list[tuple[object, ...]]:
    """Return the counters of a repository's epochs and what is charged to it."""
    epochs = Epoch.objects.filter(repository__full_name=full_name).order_by("case__title")
    charges = Charge.objects.filter(repository__full_name=full_name)
    days = EpochDay.objects.filter(repository__full_name=full_name).order_by("epoch__case__title")
    return [
        *epochs.values_list("calls", "results", "text", "label", "crash", "monitor"),
        *days.values_list("calls", "text", "label"),
        *charges.values_list("amount", "difference"),
    ]


def essence(document: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict without what names one repository's rows."""
    own = {"id", "repo", "url", "upload", "replayed"}
    kept = {name: value for name, value in document.items() if name not in own}
    kept["findings"] = [
        {name: value for name, value in each.items() if name not in {"case_id", "result_id"}}
        for each in document["findings"]
    ]
    return kept


def findings(document: dict[str, Any]) -> dict[str, str]:
    """Return the finding of every failing case."""
    return {each["case"]: each["finding"] for each in document["findings"]}


def expire_lease() -> None:
    """Let the lease of the dead worker run out without waiting for it."""
    Upload.objects.update(leased_until=timezone.now() - timedelta(seconds=1))


def test_a_worker_killed_between_record_and_verdict_loses_nothing_and_counts_nothing_twice(
    worker: Child, server_url: str, dying_env: dict[str, str]
) -> None:
    """One flow, since every process of it takes seconds to start: undisturbed, killed, repaired."""
    status, document = client(server_url, "acme/shop").upload(wait=WAIT_S)
    assert (status, findings(document)) == (201, FINDINGS), worker.output
    assert document["conclusion"] == "on_hold"
    undisturbed = row_counts()
    assert undisturbed == Counter(RECORDED | JUDGED)

    unlucky = client(server_url, PREFIX + "record-committed")
    status, pending = unlucky.upload(wait=0)
    assert (status, worker.wait_until_dead()) == (202, -signal.SIGKILL), worker.output
    assert row_counts() == undisturbed + Counter(RECORDED)

    expire_lease()
    with product.worker(dying_env, DYING) as replacement:
        Celery(broker=dying_env["BROKER_URL"], set_as_current=False).send_task(
            "triage.sweep", queue="ingest"
        )
        status, document = unlucky.read(pending["upload"]["id"])
        assert (status, findings(document)) == (200, FINDINGS), replacement.output
        status, replayed = unlucky.upload(wait=WAIT_S)
    assert (status, replayed["findings"]) == (200, document["findings"])
    assert row_counts() == undisturbed + undisturbed


def test_a_worker_killed_anywhere_comes_to_the_same_verdict_with_the_same_counters(
    server_url: str, dying_env: dict[str, str], tmp_path: Path
) -> None:
    """The crash matrix. ``pytest -s`` shows it as a table."""
    with product.pool_worker(dying_env, DYING) as worker:
        status, undisturbed = client(server_url, "acme/lives").upload(wait=WAIT_S)
        assert (status, findings(undisturbed)) == (201, FINDINGS), worker.output
        rows = row_counts(repository__full_name="acme/lives")
        assert rows == Counter(RECORDED | JUDGED)
        table = [f"{'killed at':<20} {'status':>6} {'verdict':>8} {'rows':>6} {'tries':>6}"]
        for point in POINTS:
            name = PREFIX + point
            status, document = client(server_url, name).upload(wait=WAIT_S)
            assert status == 201, f"{point}: {document}\n{worker.output}"
            assert (tmp_path / point).exists(), f"nothing died at {point}"
            is_same = essence(document) == essence(undisturbed)
            has_same = row_counts(repository__full_name=name) == rows and counted(name) == counted(
                "acme/lives"
            )
            tries = Upload.objects.get(repository__full_name=name).attempts
            table.append(
                f"{point:<20} {status:>6} {'same' if is_same else 'OTHER':>8} "
                f"{'same' if has_same else 'OTHER':>6} {tries:>6}"
            )
    print("\n" + "\n".join(table))
    assert len(POINTS) >= 12
    assert not [line for line in table if "OTHER" in line], "\n".join(table)
