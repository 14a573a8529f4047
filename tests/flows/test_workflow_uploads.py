"""Uploads of GitHub's workflows without a token, through the real doors and a real issuer."""

import base64
import io
import json
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from tests.flows.suites import REPO, report, sha, suite
from tests.servers.issuer import Issuer, issuing
from triage.models import (
    AuditEntry,
    Epoch,
    GitHubApp,
    GitHubRepository,
    Installation,
    PullRequest,
    Run,
    Upload,
    WorkflowIdentity,
)
from triage.upload.acceptance import find_or_add_repository
from triage.upload.issuers import GITHUB

pytestmark = pytest.mark.django_db(transaction=True)

UPLOADS = "/api/v1/uploads"
NUMBER = "712"
OF_REQUEST = {
    "event_name": "pull_request",
    "ref": "refs/pull/42/merge",
    "sha": sha(2),
    "head_ref": "change",
}


@pytest.fixture
def issuer(settings: Any) -> Iterator[Issuer]:
    """Return an issuer whose repository 712 may upload."""
    with issuing() as made:
        settings.GITHUB_ID_TOKEN_ISSUERS = [made.url, GITHUB]
        call_command("workflows", REPO, "allow", NUMBER, stdout=io.StringIO())
        yield made


def post(token: str, **fields: str) -> Any:
    """Upload a report as a form."""
    form = {"repo": REPO, "sha": sha(1)} | fields
    files = {"files": SimpleUploadedFile("junit.xml", report(suite(3)))}
    return Client().post(UPLOADS, form | files, headers={"Authorization": f"Bearer {token}"})


def refusal(answer: Any) -> tuple[int, str]:
    """Return status and message of a refusal that stored nothing."""
    assert (Upload.objects.count(), Run.objects.count()) == (0, 0)
    return answer.status_code, answer.json()["error"]["message"]


def test_a_push_is_stored_as_a_trusted_run_of_its_branch(issuer: Issuer) -> None:
    answer = post(issuer.token(), branch="other", attempt="1")

    run = Run.objects.get()
    assert answer.status_code == 201, answer.content
    assert (run.sha, run.ci_run_id, run.branch, run.is_trusted) == (sha(1), "98", "main", True)
    assert (run.is_reference, Upload.objects.get().token) == (True, None)
    assert Epoch.objects.exists()


def test_a_pull_request_is_known_by_its_token(issuer: Issuer) -> None:
    post(issuer.token(**OF_REQUEST), sha=sha(3), branch="main")

    run = Run.objects.get()
    assert (run.pr, run.branch, run.sha) == (42, "change", sha(3))
    assert (run.is_trusted, run.is_reference) == (True, False)


def test_what_a_fork_reports_is_judged_and_counts_for_nothing(issuer: Issuer) -> None:
    PullRequest.objects.create(
        repository=find_or_add_repository(REPO),
        number=42,
        head_sha=sha(3),
        is_fork=True,
        updated_at=datetime(2026, 11, 1, tzinfo=UTC),
    )

    answer = post(issuer.token(**OF_REQUEST), sha=sha(3))

    assert answer.json()["is_trusted"] is False
    assert Run.objects.get().is_trusted is False
    assert not Epoch.objects.filter(calls__gt=0).exists()


def test_another_commit_than_the_workflow_s_own_is_not_trusted(issuer: Issuer) -> None:
    """A workflow on workflow_run or issue_comment runs on main and reports what others made."""
    post(issuer.token(event_name="workflow_run"), sha=sha(9), branch="main", pr="7")

    run = Run.objects.get()
    assert (run.sha, run.pr, run.is_trusted, run.is_reference) == (sha(9), 7, False, False)


def test_a_tag_is_no_run_of_the_default_branch(issuer: Issuer) -> None:
    post(issuer.token(ref="refs/tags/v1", ref_type="tag"))

    assert (Run.objects.get().branch, Run.objects.get().is_reference) == ("refs/tags/v1", False)


@pytest.mark.parametrize(
    ("claims", "fields", "problem"),
    [
        ({}, {"run_id": "99"}, "of run 98, the upload says '99'"),
        ({}, {"attempt": "101"}, "of attempt 1, the upload says 101"),
        ({}, {"repo": "acme/other"}, "the workflow is for acme/support-bot, not for acme/other"),
        (OF_REQUEST, {"pr": "7"}, "runs for pull request 42, the upload says 7"),
    ],
)
def test_an_upload_is_about_its_own_run(
    issuer: Issuer, claims: dict[str, str], fields: dict[str, str], problem: str
) -> None:
    status, message = refusal(post(issuer.token(**claims), **fields))

    assert status == 403
    assert problem in message


@pytest.mark.parametrize(("attempt", "run_attempt"), [("3", "1"), ("101", "2"), ("2", "2")])
def test_repeats_of_a_second_pass_are_attempts_of_their_own(
    issuer: Issuer, attempt: str, run_attempt: str
) -> None:
    assert post(issuer.token(run_attempt=run_attempt), attempt=attempt).status_code == 201
    assert Run.objects.get().attempt == int(attempt)


def test_an_attempt_that_an_uploader_does_not_tell_is_the_token_s(issuer: Issuer) -> None:
    post(issuer.token(run_attempt="3"))

    assert Run.objects.get().attempt == 3


def test_a_repository_that_nobody_allowed_is_told_its_number(issuer: Issuer) -> None:
    status, message = refusal(post(issuer.token(repository_id="713")))

    assert status == 403
    assert f"number 713 at {issuer.url}" in message
    assert "tiebreak workflows OWNER/NAME allow 713" in message


def test_a_name_that_changed_hands_lets_nobody_in(issuer: Issuer) -> None:
    stolen = issuer.token(repository_id="999", sub="repo:acme/support-bot:ref:refs/heads/main")

    assert refusal(post(stolen))[0] == 403


def test_a_renamed_repository_goes_on_under_its_number(issuer: Issuer) -> None:
    answer = post(issuer.token(repository="acme/renamed"), repo="acme/renamed")

    assert (answer.status_code, answer.json()["repo"]) == (201, REPO)


def test_a_repository_with_the_app_is_allowed_by_itself(issuer: Issuer) -> None:
    WorkflowIdentity.objects.all().delete()
    installation = Installation.objects.create(github_id=5, account="acme")
    repository = find_or_add_repository(REPO)
    GitHubRepository.objects.create(
        repository=repository, installation=installation, github_id=int(NUMBER)
    )
    app = GitHubApp.objects.create(app_id=1, slug="tiebreak", html_url="https://github.com")

    # Repository 712 of another GitHub is another one.
    assert refusal(post(issuer.token()))[0] == 403
    app.html_url = issuer.url
    app.save()
    assert refusal(post(issuer.token()))[0] == 403


def test_a_workflow_may_read_and_complete_its_run_and_decide_nothing(issuer: Issuer) -> None:
    post(issuer.token())
    known = {"Authorization": f"Bearer {issuer.token()}"}
    told = {"repo": REPO, "sha": sha(1), "run_id": "98"}

    assert Client().get("/api/v1/runs", headers=known).status_code == 200
    assert Client().post("/api/v1/runs/complete", told, headers=known).status_code == 200
    assert Run.objects.get().closed_by == "told"
    body = {"owner": "a", "reason": "b", "until": "2030-01-01T00:00:00Z"}
    muted = Client().post(
        "/api/v1/cases/1/mute", body, headers=known, content_type="application/json"
    )
    assert (muted.status_code, muted.json()["error"]["code"]) == (403, "forbidden")
    assert "the identity of a workflow may upload, read and not decide" in muted.content.decode()


def test_codecov_s_action_with_use_oidc_is_taken(issuer: Issuer) -> None:
    """Its files come without a token, to an address that was signed for the run."""
    told = {"slug": "acme::::support-bot", "commit": sha(9), "branch": "main"}
    announced = Client().post(
        "/upload/test_results/v1",
        json.dumps(told),
        content_type="application/json",
        headers={"Authorization": f"token {issuer.token(event_name='workflow_run')}"},
    )
    packed = base64.b64encode(zlib.compress(report(suite(3)))).decode()
    file = {"filename": "junit.xml", "format": "base64+compressed", "data": packed}
    brought = Client().put(
        announced.json()["raw_upload_location"],
        json.dumps({"test_results_files": [file]}),
        content_type="application/json",
    )

    run = Run.objects.get()
    assert (announced.status_code, brought.status_code) == (201, 201)
    assert (run.ci_run_id, run.sha, run.is_trusted) == ("98", sha(9), False)


def test_numbers_are_allowed_and_refused_on_the_command_line(issuer: Issuer) -> None:
    def workflows(*arguments: str, repo: str = REPO) -> str:
        out = io.StringIO()
        call_command("workflows", repo, *arguments, stdout=out)
        return out.getvalue()

    assert workflows("list") == f"712 at {issuer.url}\n"
    with pytest.raises(CommandError, match=f"712 at .* is {REPO}; refuse it there first"):
        workflows("allow", NUMBER, repo="acme/other")
    with pytest.raises(CommandError, match="one of GITHUB_ID_TOKEN_ISSUERS"):
        workflows("allow", "5", "--issuer", "https://evil.example")
    assert "no more" in workflows("refuse", NUMBER)
    assert workflows("list") == f"{REPO}: no number is allowed\n"
    assert refusal(post(issuer.token()))[0] == 403
    actions = AuditEntry.objects.order_by("pk").values_list("action", "subject")
    assert list(actions) == [("workflows_allowed", "712"), ("workflows_refused", "712")]
