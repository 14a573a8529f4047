"""Uploads over HTTP: the contract, and every bad input."""

import gzip
import io
import tarfile
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from tests.flows.suites import FLIP, REPO, WORDING, CaseRun, history, report, sha, suite
from triage.models import Case, Repository, Result, Run, Token, Upload
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

pytestmark = pytest.mark.django_db(transaction=True)

SIZE = 4
CASE = "test_ticket[2]"
UPLOADS = "/api/v1/uploads"


@pytest.fixture
def secret() -> str:
    """Return a token of the suite's repository."""
    return create_token(find_or_add_repository(REPO), "ci")


def post(secret: str, body: bytes | None, query: str = "", **fields: Any) -> Any:
    """Upload one report as a form."""
    form = {"repo": REPO, "sha": sha(1), "run_id": "ci-1"} | fields
    if body is not None:
        form["files"] = SimpleUploadedFile("junit.xml", body)
    return Client().post(UPLOADS + query, form, headers={"Authorization": f"Bearer {secret}"})


def error(response: HttpResponse) -> tuple[int, str, str]:
    """Return (status, code, message) of an answer that must have the one error shape."""
    body = response.json()["error"]  # type: ignore[attr-defined]
    assert set(body) == {"code", "message", "file", "line", "details", "help"}
    return response.status_code, body["code"], body["message"]


def test_an_upload_is_answered_with_the_verdict(secret: str) -> None:
    response = post(secret, report(suite(SIZE, CaseRun(CASE, WORDING))), pr="42", part="1/1")

    body = response.json()
    assert response.status_code == 201
    assert (body["conclusion"], body["exit_code"], body["status"]) == (
        "passed_with_flakes",
        0,
        "done",
    )
    assert (body["repo"], body["sha"], body["pr"], body["run_id"]) == (REPO, sha(1), 42, "ci-1")
    assert body["counts"] == {"passed": 3, "failed": 1, "errored": 0, "skipped": 0, "llm": 4}
    assert response["Location"] == f"{UPLOADS}/{body['upload']['id']}"
    assert response["X-Tiebreak-Verdict"] == "passed_with_flakes"


def test_the_contract_of_the_verdict_holds(secret: str) -> None:
    body = post(secret, report(suite(SIZE, CaseRun(CASE, FLIP, "billing")))).json()

    assert {
        "id", "conclusion", "exit_code", "repo", "sha", "pr", "run_id", "attempt", "parts",
        "counts", "findings", "suite", "second_pass", "url",
    } <= set(body)  # fmt: skip
    assert {
        "case", "finding", "difference", "expected", "observed", "confidence", "margin", "rate",
        "probability_regression", "budget", "tie_break", "second_pass", "reason",
    } <= set(body["findings"][0])  # fmt: skip
    assert {"expected_failures", "observed_failures", "p_value"} <= set(body["suite"])
    assert {"divergent", "calls", "low", "high"} == set(body["findings"][0]["rate"])


def test_the_same_upload_again_is_a_replay_that_counts_nothing_twice(secret: str) -> None:
    body = report(suite(SIZE))
    first, second = post(secret, body), post(secret, body)

    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json()["replayed"]
    assert (Upload.objects.count(), Run.objects.count()) == (1, 1)


def test_a_key_that_was_used_for_other_content_is_refused(secret: str) -> None:
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "job-1"}

    def send(body: bytes) -> Any:
        form = {"repo": REPO, "sha": sha(1), "files": SimpleUploadedFile("junit.xml", body)}
        return Client().post(UPLOADS, form, headers=headers)

    assert send(report(suite(SIZE))).status_code == 201
    assert send(report(suite(SIZE))).status_code == 200
    status, code, message = error(send(report(suite(SIZE + 1))))
    assert (status, code) == (422, "idempotency_key_reused")
    assert "'job-1'" in message


@pytest.mark.parametrize(
    "changed", [{"sha": sha(2)}, {"run_id": "ci-2"}, {"attempt": "2"}, {"job": "b"}]
)
def test_a_key_that_was_used_for_another_job_is_refused(
    secret: str, changed: dict[str, str]
) -> None:
    """A key that is the same in every run would have all later ones taken for the first."""
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "always"}
    told = {"repo": REPO, "sha": sha(1), "run_id": "ci-1"}

    def send(**fields: str) -> Any:
        form = fields | {"files": SimpleUploadedFile("junit.xml", report(suite(SIZE)))}
        return Client().post(UPLOADS, form, headers=headers)

    assert send(**told).status_code == 201
    assert error(send(**told | changed))[:2] == (422, "idempotency_key_reused")
    assert (Run.objects.count(), Upload.objects.count()) == (1, 1)


@pytest.mark.parametrize("kind", ["gzip", "tar", "zip", "plain"])
def test_a_report_may_be_the_body_of_the_request(secret: str, kind: str) -> None:
    body = report(suite(SIZE))
    if kind == "gzip":
        body = gzip.compress(body)
    if kind == "tar":
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as tarball:
            entry = tarfile.TarInfo("junit.xml")
            entry.size = len(body)
            tarball.addfile(entry, io.BytesIO(body))
        body = packed.getvalue()

    if kind == "zip":
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("junit.xml", body)
        body = packed.getvalue()

    response = Client().post(
        f"{UPLOADS}?repo={REPO}&sha={sha(1)}",
        data=body,
        content_type="application/octet-stream",
        headers={"Authorization": f"Bearer {secret}"},
    )

    assert response.status_code == 201
    assert response.json()["counts"]["passed"] == SIZE


def test_a_gzipped_body_may_say_so_and_no_other_encoding_is_taken(secret: str) -> None:
    def send(encoding: str, body: bytes) -> Any:
        headers = {"Authorization": f"Bearer {secret}", "Content-Encoding": encoding}
        query = f"{UPLOADS}?repo={REPO}&sha={sha(1)}"
        return Client().post(query, body, content_type="application/xml", headers=headers)

    assert send("gzip", gzip.compress(report(suite(SIZE)))).status_code == 201
    status, code, message = error(send("br", b"x"))
    assert (status, code) == (400, "invalid_request")
    assert "'br'" in message


def test_a_form_must_not_be_encoded_as_a_whole(secret: str) -> None:
    headers = {"Authorization": f"Bearer {secret}", "Content-Encoding": "gzip"}
    form = {"repo": REPO, "sha": sha(1), "files": SimpleUploadedFile("a.xml", b"")}

    assert error(Client().post(UPLOADS, form, headers=headers))[:2] == (400, "invalid_request")


def test_files_that_cannot_be_read_are_named_beside_the_verdict_of_the_others(
    secret: str,
) -> None:
    def send(**more: str) -> Any:
        files = [
            SimpleUploadedFile("good.xml", report(suite(SIZE))),
            SimpleUploadedFile("bad.xml", b"<html><body>502 Bad Gateway</body></html>"),
        ]
        headers = {"Authorization": f"Bearer {secret}"} | more
        form = {"repo": REPO, "sha": sha(1), "files": files}
        return Client().post(UPLOADS, form, headers=headers)

    response = send()
    upload = response.json()["upload"]
    assert (response.status_code, response.json()["counts"]["passed"]) == (201, SIZE)
    assert upload["is_partial"]
    assert [(each["file"], each["kind"]) for each in upload["unread"]] == [
        ("bad.xml", "an HTML page")
    ]
    assert "! bad.xml was not read: " in send(Accept="text/plain").content.decode()


def test_an_upload_of_which_all_was_read_is_not_partial(secret: str) -> None:
    upload = post(secret, report(suite(SIZE))).json()["upload"]

    assert (upload["is_partial"], upload["unread"]) == (False, [])


def test_text_is_answered_to_who_asks_for_it(secret: str) -> None:
    post(secret, report(suite(SIZE)))
    run = Run.objects.get()

    response = Client().get(
        f"/api/v1/runs/{run.pk}",
        headers={"Authorization": f"Bearer {secret}", "Accept": "text/plain"},
    )

    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.decode().startswith("✅ Safe to merge: 4 tests, no failure")


def test_a_conclusion_that_the_caller_names_fails_the_request(secret: str) -> None:
    history(SIZE, 3)
    body = report(suite(SIZE, CaseRun(CASE, FLIP, "billing")))

    response = post(secret, body, "?fail_on=on_hold,regression", pr="7", run_id="x", sha=sha(99))

    assert response.status_code == 422
    assert response.json()["conclusion"] == "on_hold"


def test_a_pull_request_is_found_in_the_ref_of_its_merge(secret: str) -> None:
    post(secret, report(suite(SIZE)), ref="refs/pull/42/merge")

    run = Run.objects.get()
    assert (run.pr, run.is_reference) == (42, False)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"sha": "HEAD"}, "sha must be a commit id of 7 to 64 lower-case hexadecimal digits"),
        ({"sha": ""}, "sha: field required"),
        ({"repo": "no-slash"}, "repo must be OWNER/NAME"),
        ({"part": "5/4"}, "part must be i/n with 1 <= i <= n, such as 2/4, got '5/4'"),
        ({"part": "a/b"}, "part must be i/n"),
        ({"attempt": "0"}, "attempt must be a number from 1"),
        ({"attempt": "many"}, "got 'many'"),
        ({"pr": "-3"}, "pr must be a number from 1"),
        ({"pr": "9" * 30}, "pr must be a number from 1"),
        ({"at": "2999-01-01T00:00:00Z"}, "at must not lie in the future"),
        ({"at": "2026-10-01T00:00:00"}, "at must be an ISO 8601 time with a zone"),
        ({"branch": "a\x00b"}, "branch must be printable text"),
    ],
)
def test_a_wrong_field_is_named_with_its_value_and_nothing_is_stored(
    secret: str, fields: dict[str, str], words: str
) -> None:
    status, code, message = error(post(secret, report(suite(SIZE)), **fields))

    assert (status, code) == (400, "invalid_request")
    assert words in message
    assert not Run.objects.exists()


@pytest.mark.parametrize("query", ["?wait=-1", "?wait=1e9", "?wait=nan", "?fail_on=everything"])
def test_a_wrong_query_is_refused(secret: str, query: str) -> None:
    assert error(post(secret, report(suite(SIZE)), query))[:2] == (400, "invalid_request")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "empty"),
        (b"not xml at all", "plain text"),
        (b"<html><body>502 Bad Gateway</body></html>", "HTML"),
        (b'{"tests": 3}', "JSON"),
        (b'<!DOCTYPE t [<!ENTITY a "a">]><testsuite/>', "DOCTYPE"),
        (b'<testsuite name="\x00', "cut off"),
    ],
)
def test_a_file_that_is_no_report_is_refused_by_name_and_leaves_no_run(
    secret: str, body: bytes, words: str
) -> None:
    response = post(secret, body)

    status, code, message = error(response)
    assert (status, code) == (422, "unreadable_report")
    assert words in message
    assert response.json()["error"]["file"] == "junit.xml"
    assert (Run.objects.count(), Case.objects.count()) == (0, 0)


def test_durations_that_are_none_are_no_reason_to_refuse_a_report(secret: str) -> None:
    body = (
        b"<testsuite name='s'><testcase classname='c' name='a' time='-1'/>"
        b"<testcase classname='c' name='b' time='nan'/></testsuite>"
    )

    assert post(secret, body).json()["counts"]["passed"] == 2


def test_zero_characters_and_eleven_megabytes_are_stored_cut(secret: str) -> None:
    body = report(suite(SIZE, CaseRun(CASE, "E  boom &#0; " + "A" * 11_000_000))).replace(
        b"&amp;#0;", b"&#0;"
    )

    assert post(secret, body).status_code == 201
    text = Result.objects.get().text
    assert text is not None
    assert len(text.text) < 17_000
    assert "\x00" not in text.text


def test_an_upload_without_files_says_how_to_send_them(secret: str) -> None:
    status, code, message = error(post(secret, None))

    assert (status, code) == (400, "no_files")
    assert "'files'" in message


@pytest.mark.parametrize("header", ["", "Bearer ", "Bearer wrong", "Basic eDp5", "Token abc"])
def test_without_a_known_token_nothing_is_let_in(header: str) -> None:
    response = Client().post(UPLOADS, {}, headers={"Authorization": header} if header else {})

    assert error(response)[:2] == (401, "unauthorized")
    assert response["WWW-Authenticate"] == "Bearer"


def test_a_token_of_another_repository_sees_and_changes_nothing(secret: str) -> None:
    post(secret, report(suite(SIZE)))
    run, upload = Run.objects.get(), Upload.objects.get()
    other = create_token(Repository.objects.create(full_name="other/repo"), "ci")
    headers = {"Authorization": f"Bearer {other}"}

    assert error(post(other, report(suite(SIZE)), sha=sha(2)))[:2] == (403, "forbidden")
    assert error(Client().get(f"/api/v1/runs/{run.pk}", headers=headers))[0] == 404
    assert error(Client().get(f"{UPLOADS}/{upload.pk}", headers=headers))[0] == 404
    assert Run.objects.count() == 1


def test_a_revoked_token_is_refused(secret: str) -> None:
    from django.utils import timezone

    Token.objects.update(revoked_at=timezone.now())

    assert error(post(secret, report(suite(SIZE))))[0] == 401


def test_a_token_s_secret_is_not_stored(secret: str) -> None:
    assert secret not in str(Token.objects.values().get())


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/runs/999999", "/api/v1/runs/0"])
def test_what_is_not_there_has_the_same_error_shape(secret: str, path: str) -> None:
    response = Client().get(path, headers={"Authorization": f"Bearer {secret}"})

    assert error(response)[0] in {400, 404}


def test_the_api_describes_itself() -> None:
    described = Client().get("/api/v1/openapi.json").json()

    assert described["openapi"].startswith("3.1")
    assert "/api/v1/uploads" in described["paths"]
