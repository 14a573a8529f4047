"""A thousand requests with credentials that open nothing, at every address that takes one."""

import hashlib
import json
import random
import string
import zlib
from base64 import b64encode
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver
from django.utils import timezone

from tests.flows.knocks import (
    OF_ITS_OWN,
    OF_NO_REPOSITORY,
    PREFIX,
    Knock,
    existing,
    fill,
    form,
    missing,
    of_api,
    of_doors,
)
from tests.flows.suites import REPO, report, sha, suite
from tests.servers.issuer import Issuer, unsigned
from triage.doors import urls as doors
from triage.models import Repository, Token
from triage.retention.files import stored_files
from triage.upload import tokens
from triage.upload.acceptance import find_or_add_repository
from triage.upload.issuers import GITHUB
from triage.upload.token_changes import revoke_token, rotate_token
from triage.upload.tokens import SCOPES, authenticate, create_token

pytestmark = pytest.mark.django_db(transaction=True)

OTHER = "acme/other"
SECRET_OF_CASE = "test_ticket"
RANDOM_SECRETS = 22
REFUSED = {401, 403}
TOKEN_CHARACTERS = string.ascii_letters + string.digits + "-_"


@pytest.fixture(autouse=True)
def _unhurried(settings: Any) -> None:
    """What is refused for its rate would not be refused for its credential."""
    settings.RATE_LIMIT_PER_MINUTE = 0


@pytest.fixture
def good() -> str:
    """Return a secret that opens everything of a repository in which there is everything."""
    fill()
    return create_token(find_or_add_repository(REPO), "ci", SCOPES)


def forged(good: str) -> list[str]:
    """Return credentials that nobody was given, or that no longer hold."""
    rng = random.Random(8)
    invented = [
        "tbk_" + "".join(rng.choices(TOKEN_CHARACTERS, k=43)) for _ in range(RANDOM_SECRETS)
    ]
    at = rng.sample(range(4, len(good)), 6)
    altered = [good[:each] + ("A" if good[each] != "A" else "B") + good[each + 1 :] for each in at]
    near = [good[:-1], good[:20], good[:4], good + "A", good.swapcase(), good[::-1], good[4:]]
    # What stands in the database, which somebody may have read.
    digest = hashlib.sha256(good.encode()).hexdigest()
    odd = [digest, "' OR 1=1 --", "tbk_%", "null", "None", "ü" * 10, "a.b.c", "x" * 20_000]
    evil = Issuer("https://evil.example")
    workflows = [evil.token(), unsigned(evil.claims(iss=GITHUB))]
    return [*invented, *altered, *near, *odd, *workflows, *_ended()]


def _ended() -> list[str]:
    repository = find_or_add_repository(REPO)
    revoked = create_token(repository, "revoked", SCOPES)
    revoke_token(Token.objects.get(name="revoked"))
    end = timezone.now() + timedelta(days=1)
    expired = create_token(repository, "expired", SCOPES, expires_at=end)
    Token.objects.filter(name="expired").update(expires_at=timezone.now() - timedelta(seconds=1))
    replaced = create_token(repository, "rotated", SCOPES)
    rotate_token(Token.objects.get(name="rotated"), timedelta(0))
    return [revoked, expired, replaced]


def everything() -> dict[str, Any]:
    """Return every row of ours and every file, but for when a token was last used."""
    rows = {
        model.__name__: sorted(map(repr, model._default_manager.values()))
        for model in apps.get_models()
        if model._meta.app_label in {"triage", "budgets"} and model is not Token
    }
    return rows | {"files": [*stored_files(REPO), *stored_files(OTHER)]}


def is_in_shape(path: str, answer: Any) -> bool:
    """Whether an error has the one shape of the API, or the one that a door's uploader reads."""
    if (path.startswith(f"{PREFIX}/") and path not in OF_NO_REPOSITORY) or path == "/v1/uploads":
        told = answer.json()["error"]
        return set(told) == {"code", "message", "file", "line", "details", "help"}
    if path.startswith("/upload/"):
        return bool(answer["X-Tiebreak-Error"]) and bool(answer.content.strip())
    return [*answer.json()] == ["errors"]


def test_every_door_is_knocked_at() -> None:
    knocked = [each.path.lstrip("/") for each in of_doors(missing())]
    # Files are brought to an address that is signed, which is tried by itself.
    left = [
        each
        for each in doors.urlpatterns
        if each.name != "codecov-files" and not any(each.resolve(path) for path in knocked)
    ]

    assert left == []
    assert get_resolver().resolve("/upload/test_results/v1/files/x").url_name == "codecov-files"


def test_a_thousand_requests_with_forged_credentials_open_nothing(good: str) -> None:
    knocks, credentials = [*of_api(existing()), *of_doors(existing())], forged(good)
    before, statuses = everything(), Counter[int]()

    for knock in knocks:
        for credential in credentials:
            answer = knock.send(credential)
            statuses[answer.status_code] += 1
            assert answer.status_code in REFUSED, (knock.path, credential)
            assert is_in_shape(knock.path, answer), (knock.path, answer.content)
            assert SECRET_OF_CASE not in answer.content.decode()

    assert statuses.total() >= 1_000
    # Only Datadog's uploader, which takes 401 for a success, is told 403.
    assert statuses[403] == 3 * len(credentials)
    assert everything() == before


def test_a_token_of_another_repository_opens_only_its_own(good: str) -> None:
    find_or_add_repository(OTHER)
    theirs = create_token(Repository.objects.get(full_name=OTHER), "theirs", SCOPES)
    before = everything()

    for knock in [*of_api(existing()), *of_doors(existing())]:
        answer = knock.send(theirs)
        told = answer.content.decode()
        assert SECRET_OF_CASE not in told, knock.path
        if knock.path.removeprefix(PREFIX) in OF_ITS_OWN or knock.path in OF_NO_REPOSITORY:
            assert answer.status_code == 200, knock.path
            assert REPO not in told
        else:
            assert answer.status_code in {403, 404, 400}, (knock.path, told)
            assert is_in_shape(knock.path, answer), (knock.path, told)
    assert everything() == before


@pytest.mark.parametrize("missing", SCOPES)
def test_a_token_without_the_scope_does_nothing(good: str, missing: str) -> None:
    held = [each for each in SCOPES if each != missing]
    secret = create_token(find_or_add_repository(REPO), "narrow", held)
    knocks = [
        each for each in (*of_api(existing()), *of_doors(existing())) if each.scope == missing
    ]
    before = everything()

    for knock in knocks:
        answer = knock.send(secret)
        assert answer.status_code == 403, (knock.path, answer.content)
        assert f"and not {missing}" in answer.content.decode()
    assert len(knocks) >= 3
    assert everything() == before


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic {}", "bearer\t{}", "{}"])
def test_a_header_of_another_form_opens_nothing(good: str, header: str) -> None:
    before = everything()

    for knock in of_api(existing()):
        answer = Knock(**{**vars(knock), "scheme": header}).send(good)
        assert answer.status_code == 401, knock.path
        assert answer["WWW-Authenticate"] == "Bearer"
    assert everything() == before


def test_an_idempotency_key_that_was_used_brings_nothing_else_in(good: str) -> None:
    headers = {"Authorization": f"Bearer {good}", "Idempotency-Key": "98-2-evals"}
    first = Client().post(f"{PREFIX}/uploads", form(existing()), headers=headers)
    assert first.status_code == 201
    before = everything()

    for number in range(60):
        other = SimpleUploadedFile("junit.xml", report(suite(5 + number)))
        answer = Client().post(
            f"{PREFIX}/uploads", form(existing()) | {"files": other}, headers=headers
        )
        assert answer.status_code == 422
        assert answer.json()["error"]["code"] == "idempotency_key_reused"
    for told in ({"sha": sha(98)}, {"run_id": "other"}, {"attempt": "2"}, {"job": "other"}):
        answer = Client().post(f"{PREFIX}/uploads", form(existing()) | told, headers=headers)
        assert answer.json()["error"]["code"] == "idempotency_key_reused", told
    again = Client().post(f"{PREFIX}/uploads", form(existing()), headers=headers)

    assert (again.status_code, again.json()["replayed"]) == (200, True)
    assert everything() == before


def test_a_key_of_another_repository_is_no_key_here(good: str) -> None:
    theirs = create_token(find_or_add_repository(OTHER), "theirs", SCOPES)
    key = {"Idempotency-Key": "98-2-evals"}
    ours = Client().post(
        f"{PREFIX}/uploads", form(existing()), headers=key | {"Authorization": f"Bearer {good}"}
    )
    other = Client().post(
        f"{PREFIX}/uploads",
        form(existing()) | {"repo": OTHER},
        headers=key | {"Authorization": f"Bearer {theirs}"},
    )

    assert (ours.status_code, other.status_code) == (201, 201)
    assert ours.json()["upload"]["id"] != other.json()["upload"]["id"]


def test_an_address_for_files_that_we_did_not_sign_takes_none(good: str) -> None:
    knock = next(iter(of_doors(existing())))
    where = knock.send(good).json()["raw_upload_location"].split("/files/")[1]
    told, _, signature = where.rpartition(":")
    payload = [1, 1, {"repo": REPO, "sha": sha(99)}]
    forgeries = [
        told,
        f"{told}:",
        f"{told}:{signature[::-1]}",
        f"{told[:-1]}{'B' if told.endswith('A') else 'A'}:{signature}",
        signing.dumps(payload, salt="another", compress=True),
        signing.dumps(payload, key="guessed", salt="codecov", compress=True),
    ]
    data = b64encode(zlib.compress(report(suite(4)))).decode()
    files = {"filename": "junit.xml", "format": "base64+compressed", "data": data}
    before = everything()

    for each in forgeries:
        address = f"/upload/test_results/v1/files/{each}"
        answer = Client().put(address, json.dumps({"test_results_files": [files]}))
        assert (answer.status_code, answer["X-Tiebreak-Error"]) == (403, "forbidden")
    assert everything() == before


def test_secrets_are_looked_up_by_digest_and_compared_in_constant_time(
    good: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[str, str]] = []
    compare = tokens.hmac.compare_digest

    def noting(mine: str, told: str) -> bool:
        compared.append((mine, told))
        return bool(compare(mine, told))

    monkeypatch.setattr(tokens.hmac, "compare_digest", noting)
    digest = hashlib.sha256(good.encode()).hexdigest()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        authenticate(good)

    assert (digest, digest) in compared
    assert digest in asked[0]["sql"]
    assert not any(good in each["sql"] for each in asked)
