"""The door for Datadog's uploader: three generations of events, and refusals that it believes."""

import gzip
import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.flows.suites import REPO, report, sha, suite
from triage.models import Run, Upload
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

pytestmark = pytest.mark.django_db(transaction=True)

HEAD, MERGE = sha(7), sha(8)
COMMON = {
    "git.repository_url": f"https://github.com/{REPO}.git",
    "git.branch": "change",
    "git.commit.sha": MERGE,
    "ci.pipeline.id": "98",
    "ci.pipeline.url": f"https://github.com/{REPO}/actions/runs/98/attempts/2",
    "ci.job.name": "evals",
}


@pytest.fixture
def key() -> str:
    """Return a token of the suite's repository."""
    return create_token(find_or_add_repository(REPO), "ci")


def send(key: str, event: Any, body: bytes | None = None) -> Any:
    """Send one report as the uploader does."""
    packed = gzip.compress(report(suite(2)) if body is None else body)
    form = {
        "event": SimpleUploadedFile("event.json", json.dumps(event).encode()),
        "junit_xml_report_file": SimpleUploadedFile("0.xml.gz", packed),
    }
    return Client().post("/api/v2/cireport", form, headers={"DD-API-KEY": key})


@pytest.mark.parametrize(
    "event",
    [
        {"metadata": COMMON | {"git.commit.head.sha": HEAD, "pr.number": "42"}},
        {"metadata": COMMON | {"git.commit.head_sha": HEAD}},
        COMMON | {"git.commit.sha": HEAD},
    ],
    ids=["version-5", "version-2", "version-1"],
)
def test_every_generation_of_events_names_the_head(key: str, event: Any) -> None:
    assert send(key, event).status_code == 202

    run = Run.objects.get()
    assert (run.sha, run.ci_run_id, run.attempt, run.branch) == (HEAD, "98", 2, "change")
    assert run.parts.get().name == "evals"


@pytest.mark.parametrize(
    ("event", "body", "status"),
    [
        ({}, None, 400),
        ([], None, 400),
        (COMMON | {"git.repository_url": "https://github.com/acme/other"}, None, 403),
        (COMMON, b"no xml", 400),
    ],
)
def test_what_is_refused_is_refused_by_a_status_that_the_uploader_believes(
    key: str, event: Any, body: bytes | None, status: int
) -> None:
    answer = send(key, event, body)

    assert answer.status_code == status
    assert answer.json()["errors"]
    assert not Upload.objects.exists()


def test_every_commit_is_known_so_that_no_history_is_sent(key: str) -> None:
    asked = {"data": [{"id": HEAD, "type": "commit"}], "meta": {}}
    answer = Client().post(
        "/api/v2/git/repository/search_commits",
        asked,
        content_type="application/json",
        headers={"DD-API-KEY": key},
    )

    assert answer.json() == {"data": asked["data"]}


@pytest.mark.parametrize("path", ["cireport", "git/repository/search_commits"])
def test_a_key_that_is_not_known_is_forbidden(path: str) -> None:
    answer = Client().post(f"/api/v2/{path}", {}, headers={"DD-API-KEY": "wrong"})

    assert answer.status_code == 403
