"""The door for Codecov's uploader: what it refuses, and what it answers."""

import json
import zlib
from base64 import b64encode
from typing import Any

import pytest
from django.core import signing
from django.test import Client

from tests.flows.suites import FLIP, REPO, CaseRun, history, report, sha, suite
from triage.doors.codecov import repo_of_slug
from triage.models import Run, Token, Upload
from triage.terms import RunEnd
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

pytestmark = pytest.mark.django_db(transaction=True)

SLUG = "acme::::support-bot"
ANNOUNCE = "/upload/test_results/v1"
CASE = "test_ticket[2]"


@pytest.fixture
def secret() -> str:
    """Return a token of the suite's repository."""
    return create_token(find_or_add_repository(REPO), "ci")


def announce(secret: str, **told: Any) -> Any:
    """Say what an upload will be about."""
    body = {"slug": SLUG, "commit": sha(50), "branch": "fork:change", "job_code": "CI"} | told
    headers = {"Authorization": f"token {secret}"}
    return Client().post(ANNOUNCE, body, content_type="application/json", headers=headers)


def bring(where: str, body: bytes, packing: str = "base64+compressed") -> Any:
    """Bring one file."""
    data = b64encode(zlib.compress(body)).decode()
    file = {"filename": "junit.xml", "format": packing, "data": data, "labels": ""}
    return Client().put(where, json.dumps({"test_results_files": [file]}))


def test_a_verdict_that_fails_is_told_in_full_and_one_that_passes_is_a_success(secret: str) -> None:
    history(4, 3)
    flip = report(suite(4, CaseRun(CASE, FLIP, "billing")))
    held = bring(announce(secret).json()["raw_upload_location"], flip)
    passed = bring(announce(secret, commit=sha(51)).json()["raw_upload_location"], report(suite(4)))

    assert (held.status_code, held["X-Tiebreak-Verdict"]) == (422, "on_hold")
    assert "NEAR_TIE" in held.content.decode()
    assert (passed.status_code, passed["Content-Type"]) == (201, "text/plain; charset=utf-8")


def test_the_same_files_again_count_nothing_twice(secret: str) -> None:
    where = announce(secret).json()["raw_upload_location"]
    answers = [bring(where, report(suite(4))).status_code for _ in range(2)]

    assert answers == [201, 201]
    assert Upload.objects.count() == 1


def test_where_no_file_was_found_none_is_asked_for(secret: str) -> None:
    answer = announce(secret, file_not_found=True)

    assert answer.status_code == 201
    assert set(answer.json()) == {"url"}


def test_the_flags_tell_legs_apart(secret: str) -> None:
    for flags in (["gpt"], ["claude"]):
        where = announce(secret, flags=flags, name="evals").json()["raw_upload_location"]
        bring(where, report(suite(4)))

    names = Run.objects.get().parts.values_list("name", flat=True)
    assert set(names) == {"evals gpt", "evals claude"}


def test_nothing_is_taken_at_an_address_that_was_not_signed_here(secret: str) -> None:
    forged = signing.dumps([Token.objects.get().pk, {"repo": REPO, "sha": sha(1)}], salt="other")
    ours = announce(secret).json()["raw_upload_location"]

    assert bring(f"{ANNOUNCE}/files/{forged}", report(suite(4))).status_code == 403
    assert bring(ours[:-1] + ("A" if ours[-1] != "A" else "B"), b"").status_code == 403
    assert not Upload.objects.exists()


def test_a_token_that_was_revoked_since_brings_nothing(secret: str) -> None:
    from django.utils import timezone

    where = announce(secret).json()["raw_upload_location"]
    Token.objects.update(revoked_at=timezone.now())

    assert bring(where, report(suite(4))).status_code == 401
    assert not Upload.objects.exists()


def test_another_repository_s_token_is_refused_before_anything_is_sent(secret: str) -> None:
    assert announce(secret, slug="acme::::other").status_code == 403


def test_what_unpacks_to_too_much_is_refused(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from triage.doors import codecov
    from triage.parse.limits import Limits

    monkeypatch.setattr(codecov, "DEFAULT_LIMITS", Limits(decompressed_bytes=1_000))
    answer = bring(announce(secret).json()["raw_upload_location"], b"x" * 1_001)

    assert answer.status_code == 413
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"[]", "must be a JSON object"),
        (b"{", "is no JSON"),
        (b"{}", "must hold the list"),
        (b'{"test_results_files": [1]}', "format must be"),
        (
            b'{"test_results_files": [{"format": "base64+compressed", "data": "AAAA"}]}',
            "cannot be unpacked",
        ),
        (b'{"test_results_files": []}', "no report file was sent"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_in_words(
    secret: str, body: bytes, words: str
) -> None:
    answer = Client().put(announce(secret).json()["raw_upload_location"], body)

    assert answer.status_code == 400
    assert words in answer.content.decode()
    assert not Upload.objects.exists()


def test_the_uploader_says_that_a_commit_is_complete(secret: str) -> None:
    bring(announce(secret).json()["raw_upload_location"], report(suite(4)))
    told = f"/upload/github/{SLUG}/commits/{sha(50)}/upload-complete"
    answer = Client().post(told, headers={"Authorization": f"token {secret}"})

    assert answer.status_code == 200
    assert Run.objects.get().closed_by == RunEnd.TOLD


def test_a_slug_with_groups_is_read() -> None:
    assert repo_of_slug("acme:::ml::::support-bot") == "acme/ml/support-bot"
