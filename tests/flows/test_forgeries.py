"""A thousand requests with credentials that open nothing, at every address that takes one."""

import hashlib
import json
import random
import string
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
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

from tests.flows.suites import FLIP, REPO, CaseRun, report, sha, suite, take
from tests.servers.issuer import Issuer, unsigned
from triage.api.urls import api
from triage.doors import urls as doors
from triage.models import Case, Epoch, Escalation, Repository, Run, Token, Upload
from triage.retention.files import stored_files
from triage.upload import tokens
from triage.upload.acceptance import find_or_add_repository
from triage.upload.issuers import GITHUB
from triage.upload.token_changes import revoke_token, rotate_token
from triage.upload.tokens import SCOPES, authenticate, create_token

pytestmark = pytest.mark.django_db(transaction=True)

OTHER = "acme/other"
SECRET_OF_CASE = "test_ticket"
SLUG = "acme::::support-bot"
PREFIX = "/api/v1"
RANDOM_SECRETS = 22
REFUSED = {401, 403}
TOKEN_CHARACTERS = string.ascii_letters + string.digits + "-_"
# Datadog's uploader asks whether its key is known, and for commits: of no repository.
OF_NO_REPOSITORY = {"/api/v1/validate", "/api/v2/git/repository/search_commits"}
# What stays within the token's own repository by itself.
OF_ITS_OWN = {"/runs", "/cases", "/budgets", "/budgets/charges", "/escalations", "/policy/check"}


@dataclass(frozen=True)
class Knock:
    """A good request, but for the credential."""

    method: str
    path: str
    # The scope that it takes; empty for one that takes none.
    scope: str
    header: str = "Authorization"
    scheme: str = "Bearer {}"
    body: Any = None
    kind: str = "application/json"

    def send(self, credential: str) -> Any:
        """Send the request with a credential in its place."""
        body = self.body() if callable(self.body) else self.body
        told: dict[str, Any] = {} if self.kind == "form" else {"content_type": self.kind}
        if body is not None:
            told["data"] = body
        headers = {self.header: self.scheme.format(credential)}
        return getattr(Client(), self.method)(self.path, headers=headers, **told)


@pytest.fixture(autouse=True)
def _unhurried(settings: Any) -> None:
    """What is refused for its rate would not be refused for its credential."""
    settings.RATE_LIMIT_PER_MINUTE = 0


@pytest.fixture
def good() -> str:
    """Return a secret that opens everything of a repository in which there is everything."""
    take(suite(3, CaseRun("test_ticket[1]", FLIP, "billing")), 1, run_id="ci-1")
    epoch, now = Epoch.objects.select_related("case").earliest("pk"), timezone.now()
    Escalation.objects.create(
        repository=epoch.case.repository,
        case=epoch.case,
        epoch=epoch,
        first_label="billing",
        second_label="fraud",
        owner="ada",
        opened_at=now,
        due_at=now + timedelta(hours=4),
    )
    return create_token(find_or_add_repository(REPO), "ci", SCOPES)


def form() -> dict[str, Any]:
    """Return an upload that would be new."""
    files = SimpleUploadedFile("junit.xml", report(suite(4)))
    return {"repo": REPO, "sha": sha(99), "run_id": "forged", "files": files}


def buildkite_form() -> dict[str, Any]:
    """Return an upload of Buildkite's curl line."""
    told = {"format": "junit", "run_env[commit_sha]": sha(99), "run_env[key]": "forged"}
    url = f"https://github.com/{REPO}/actions/runs/98"
    file = SimpleUploadedFile("junit.xml", report(suite(4)))
    return told | {"run_env[url]": url, "data": file}


def datadog_form() -> dict[str, Any]:
    """Return an upload of Datadog's uploader."""
    event = {
        "git.repository_url": f"https://github.com/{REPO}.git",
        "git.commit.sha": sha(99),
        "ci.pipeline.id": "forged",
    }
    return {
        "event": SimpleUploadedFile("event.json", json.dumps(event).encode()),
        "junit_xml_report_file": SimpleUploadedFile("0.xml", report(suite(4))),
    }


def of_api() -> Iterator[Knock]:
    """Yield a request for every operation that the API describes and that takes a token."""
    numbers = {
        "upload_id": Upload.objects.earliest("received_at").pk,
        "run_id": Run.objects.earliest("pk").pk,
        "case_id": Case.objects.earliest("pk").pk,
        "escalation_id": Escalation.objects.earliest("pk").pk,
    }
    until = (timezone.now() + timedelta(days=2)).isoformat()
    bodies: dict[str, Any] = {
        "/uploads": form,
        "/runs/complete": {"repo": REPO, "sha": sha(1), "run_id": "ci-1"},
        "/policy/check": "version: 1\n",
        "/cases/{case_id}/mute": {"owner": "eve", "reason": "forged", "until": until},
        "/escalations/{escalation_id}/decisions": {"kind": "uphold", "why": "forged"},
    }
    for path, item in api.get_openapi_schema()["paths"].items():
        for method, operation in item.items():
            if not operation.get("security"):
                continue
            bare = path.removeprefix(PREFIX)
            body = None if method in {"get", "delete"} else bodies[bare]
            kind = {"/uploads": "form", "/policy/check": "application/yaml"}.get(bare)
            yield Knock(
                method,
                path.format(**numbers),
                _scope(method, bare),
                body=body,
                kind=kind or "application/json",
            )


def _scope(method: str, path: str) -> str:
    if path == "/policy/check" or path.startswith("/uploads/"):
        return ""
    if path in {"/uploads", "/runs/complete"}:
        return "upload"
    return "read" if method == "get" else "decide"


def of_doors() -> Iterator[Knock]:
    """Yield a request for every door."""
    announced = {"slug": SLUG, "commit": sha(99), "branch": "main"}
    commit = f"/upload/github/{SLUG}/commits"
    to_codecov = {"scope": "upload", "scheme": "token {}"}
    yield Knock("post", "/upload/test_results/v1", body=announced, **to_codecov)
    yield Knock("post", commit, body={"commitid": sha(99)}, **to_codecov)
    yield Knock("post", f"{commit}/{sha(1)}/upload-complete", body={}, **to_codecov)
    yield Knock(
        "post",
        "/v1/uploads",
        "upload",
        scheme='Token token="{}"',
        body=buildkite_form,
        kind="form",
    )
    key = {"header": "DD-API-KEY", "scheme": "{}"}
    yield Knock("post", "/api/v2/cireport", "upload", body=datadog_form, kind="form", **key)
    commits = {"data": [{"id": sha(1), "type": "commit"}]}
    yield Knock("post", "/api/v2/git/repository/search_commits", "", body=commits, **key)
    yield Knock("get", "/api/v1/validate", "", **key)


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
    knocked = [each.path.lstrip("/") for each in of_doors()]
    # Files are brought to an address that is signed, which is tried by itself.
    left = [
        each
        for each in doors.urlpatterns
        if each.name != "codecov-files" and not any(each.resolve(path) for path in knocked)
    ]

    assert left == []
    assert get_resolver().resolve("/upload/test_results/v1/files/x").url_name == "codecov-files"


def test_a_thousand_requests_with_forged_credentials_open_nothing(good: str) -> None:
    knocks, credentials = [*of_api(), *of_doors()], forged(good)
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

    for knock in [*of_api(), *of_doors()]:
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
    knocks = [each for each in (*of_api(), *of_doors()) if each.scope == missing]
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

    for knock in of_api():
        answer = Knock(**{**vars(knock), "scheme": header}).send(good)
        assert answer.status_code == 401, knock.path
        assert answer["WWW-Authenticate"] == "Bearer"
    assert everything() == before


def test_an_idempotency_key_that_was_used_brings_nothing_else_in(good: str) -> None:
    headers = {"Authorization": f"Bearer {good}", "Idempotency-Key": "98-2-evals"}
    first = Client().post(f"{PREFIX}/uploads", form(), headers=headers)
    assert first.status_code == 201
    before = everything()

    for number in range(60):
        other = SimpleUploadedFile("junit.xml", report(suite(5 + number)))
        answer = Client().post(f"{PREFIX}/uploads", form() | {"files": other}, headers=headers)
        assert answer.status_code == 422
        assert answer.json()["error"]["code"] == "idempotency_key_reused"
    for told in ({"sha": sha(98)}, {"run_id": "other"}, {"attempt": "2"}, {"job": "other"}):
        answer = Client().post(f"{PREFIX}/uploads", form() | told, headers=headers)
        assert answer.json()["error"]["code"] == "idempotency_key_reused", told
    again = Client().post(f"{PREFIX}/uploads", form(), headers=headers)

    assert (again.status_code, again.json()["replayed"]) == (200, True)
    assert everything() == before


def test_a_key_of_another_repository_is_no_key_here(good: str) -> None:
    theirs = create_token(find_or_add_repository(OTHER), "theirs", SCOPES)
    key = {"Idempotency-Key": "98-2-evals"}
    ours = Client().post(
        f"{PREFIX}/uploads", form(), headers=key | {"Authorization": f"Bearer {good}"}
    )
    other = Client().post(
        f"{PREFIX}/uploads",
        form() | {"repo": OTHER},
        headers=key | {"Authorization": f"Bearer {theirs}"},
    )

    assert (ours.status_code, other.status_code) == (201, 201)
    assert ours.json()["upload"]["id"] != other.json()["upload"]["id"]


def test_an_address_for_files_that_we_did_not_sign_takes_none(good: str) -> None:
    knock = next(iter(of_doors()))
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
