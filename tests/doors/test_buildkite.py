"""The door for Buildkite Test Engine: forms, JSON, and what is refused."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.flows.suites import REPO, report, sha, suite
from triage.doors.buildkite_results import junit_of_results
from triage.models import Case, Run, Upload
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

pytestmark = pytest.mark.django_db(transaction=True)

URL = "/v1/uploads"
RESULT = {
    "name": "test_a",
    "scope": "tests.test_x",
    "file_name": "tests/test_x.py",
    "result": "passed",
}


@pytest.fixture
def headers() -> dict[str, str]:
    """Return the credentials of the suite's repository, as Buildkite's clients send them."""
    secret = create_token(find_or_add_repository(REPO), "ci")
    return {"Authorization": f'Token token="{secret}"'}


def send_json(headers: dict[str, str], data: Any, **run_env: Any) -> Any:
    """Send results as JSON."""
    told = {"CI": "buildkite", "key": "build-1", "commit_sha": sha(1), "branch": "main"} | run_env
    body = {"format": "json", "run_env": told, "data": data}
    return Client().post(URL, json.dumps(body), content_type="application/json", headers=headers)


def test_batches_of_one_key_make_one_run(headers: dict[str, str]) -> None:
    for name in ("test_a", "test_b"):
        answer = send_json(headers, [RESULT | {"name": name}])
        assert (answer.status_code, answer.json()["queued"]) == (202, 1)

    run = Run.objects.get()
    assert (run.ci_run_id, run.branch, run.parts.get().passed) == ("build-1", "main", 2)


def test_results_as_a_file_are_taken_like_results_in_the_body(headers: dict[str, str]) -> None:
    form = {
        "format": "json",
        "run_env[key]": "build-1",
        "run_env[commit_sha]": sha(1),
        "data": SimpleUploadedFile("data.json", json.dumps([RESULT]).encode()),
    }

    assert Client().post(URL, form, headers=headers).status_code == 202
    assert Case.objects.get().file == "tests/test_x.py"


def test_the_failure_and_where_it_is_are_kept(headers: dict[str, str]) -> None:
    failed = {
        "result": "failed",
        "failure_reason": "AssertionError: assert 'billing' == 'fraud'",
        "failure_expanded": [{"expanded": ["E  boom\x00"], "backtrace": ["tests/test_x.py:7"]}],
        "location": "tests/test_x.py:7",
    }
    send_json(headers, [RESULT | failed])

    result = Run.objects.get().results.get()
    assert (result.outcome, result.line) == ("failed", 7)
    assert result.text is not None
    assert "tests/test_x.py:7" in result.text.text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "data must be a list"),
        ([1], "data[0] must be an object"),
        ([{"result": "passed"}], "data[0].name is missing"),
        ([RESULT | {"result": "maybe"}], "got 'maybe'"),
    ],
)
def test_results_that_are_none_are_refused_by_place(
    headers: dict[str, str], data: Any, words: str
) -> None:
    answer = send_json(headers, data)

    assert answer.status_code == 400
    assert words in answer.json()["message"]
    assert answer.json()["error"]["code"] == "invalid_request"
    assert not Upload.objects.exists()


def test_a_commit_that_is_not_told_is_asked_for(headers: dict[str, str]) -> None:
    answer = send_json(headers, [RESULT], commit_sha=None)

    assert answer.status_code == 400
    assert "run_env[commit_sha] is missing" in answer.json()["message"]


def test_a_run_of_another_repository_is_refused(headers: dict[str, str]) -> None:
    answer = send_json(headers, [RESULT], url="https://github.com/acme/other/actions/runs/1")

    assert answer.status_code == 403
    assert not Upload.objects.exists()


@pytest.mark.parametrize("format_", ["junit", ""])
def test_a_form_without_files_is_refused(headers: dict[str, str], format_: str) -> None:
    form = {"format": format_, "run_env[commit_sha]": sha(1)}

    assert Client().post(URL, form, headers=headers).status_code == 400


def test_a_form_with_a_report_is_taken_without_a_run(headers: dict[str, str]) -> None:
    form = {
        "run_env[commit_sha]": sha(1),
        "data": SimpleUploadedFile("junit.xml", report(suite(2))),
    }

    assert Client().post(URL, form, headers=headers).status_code == 202


def test_tags_become_properties() -> None:
    made = junit_of_results([RESULT | {"tags": {"tiebreak.label": "fraud"}}]).decode()

    assert '<property name="tiebreak.label" value="fraud" />' in made
