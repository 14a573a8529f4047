"""Identity tokens of workflows, checked against the keys of a real issuer."""

import hashlib
import hmac
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.servers.issuer import KEYS, Issuer, issuing, key_pair, unsigned
from triage.errors import ForbiddenError, UnauthorizedError, UnavailableError
from triage.upload import issuers
from triage.upload.issuers import GITHUB, issuer_of, keys_of
from triage.upload.workflow_tokens import read_workflow


@pytest.fixture
def issuer(settings: Any) -> Iterator[Issuer]:
    """Return an issuer that is allowed here."""
    with issuing() as made:
        settings.GITHUB_ID_TOKEN_ISSUERS = [GITHUB, made.url]
        yield made


def packed(told: dict[str, Any]) -> str:
    """Return a part of a token."""
    return urlsafe_b64encode(json.dumps(told).encode()).rstrip(b"=").decode()


def signed_with_the_public_key(issuer: Issuer) -> str:
    """Return a token that takes the issuer's public key for a shared secret."""
    shared = key_pair(0).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    told = f"{packed({'alg': 'HS256', 'kid': 'key-0'})}.{packed(issuer.claims())}"
    signature = hmac.new(shared, told.encode(), hashlib.sha256).digest()
    return f"{told}.{urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def test_a_token_says_which_repository_run_and_commit_it_is_of(issuer: Issuer) -> None:
    workflow = read_workflow(issuer.token())

    assert (workflow.repository_id, workflow.run_id, workflow.run_attempt) == (712, "98", 1)
    assert (workflow.event_name, workflow.ref, workflow.sha) == (
        "push",
        "refs/heads/main",
        f"{1:040x}",
    )


def test_the_address_may_end_in_a_slash(issuer: Issuer) -> None:
    assert read_workflow(issuer.token(aud="http://127.0.0.1:8000/")).repository_id == 712


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"aud": "https://elsewhere.example"}, "another audience; .* audience=http://127.0.0.1"),
        ({"aud": None}, "is missing the"),
        ({"exp": int(time.time()) - 90}, "has expired; ask GitHub for a new one"),
        ({"exp": None}, "is missing the"),
        ({"nbf": int(time.time()) + 3600}, "is not valid yet; set the server's clock"),
        ({"repository_id": None}, "is missing the"),
        ({"repository_id": "acme"}, "wrong claim repository_id"),
        ({"repository_id": "-1"}, "wrong claim repository_id"),
        ({"run_id": "98; DROP"}, "wrong claim run_id"),
        ({"iss": "https://evil.example"}, "'https://evil.example', which is not allowed here"),
        ({"iss": GITHUB + "/"}, "which is not allowed here; allowed: https://token.actions"),
        ({"iss": None}, "from 'None', which is not allowed"),
    ],
)
def test_a_token_that_does_not_hold_is_refused(
    issuer: Issuer, changed: dict[str, Any], problem: str
) -> None:
    with pytest.raises(UnauthorizedError, match=problem):
        read_workflow(issuer.token(**changed))


def test_a_token_is_signed_by_the_key_that_it_names(issuer: Issuer) -> None:
    issuer.numbers = [0, 1]
    of_another = issuer.signed(issuer.claims(), kid="key-0")
    cut = issuer.token()[:-8]
    header, _, signature = issuer.token().split(".")
    changed = ".".join([header, packed(issuer.claims(repository_id="1")), signature])

    for token in (of_another, cut + "AAAAAAAA", changed):
        with pytest.raises(UnauthorizedError, match="is not signed by its issuer"):
            read_workflow(token)


def test_only_the_algorithm_of_github_is_taken(issuer: Issuer) -> None:
    forged = {
        "none": unsigned(issuer.claims()),
        "HS256": signed_with_the_public_key(issuer),
    }

    for algorithm, token in forged.items():
        with pytest.raises(UnauthorizedError, match=f"signed with RS256 .*, got '{algorithm}'"):
            read_workflow(token)
    assert issuer.requests == []


@pytest.mark.parametrize("token", ["..", "a.b.c", "e30.e30.e30", "x" * 20_000 + "..", "é.é.é"])
def test_what_is_no_token_is_refused(issuer: Issuer, token: str) -> None:
    with pytest.raises(UnauthorizedError):
        read_workflow(token)


def test_a_token_names_its_key(issuer: Issuer) -> None:
    nameless = jwt.encode(issuer.claims(), key_pair(0), algorithm="RS256")

    with pytest.raises(UnauthorizedError, match="name its key"):
        read_workflow(nameless)


def test_an_address_in_a_token_is_never_asked(issuer: Issuer) -> None:
    with issuing() as other:
        token = issuer.signed(issuer.claims(), jku=other.url + KEYS, x5u=other.url)
        assert read_workflow(token).repository_id == 712
        assert other.requests == []


def test_keys_are_fetched_once_and_anew_for_a_new_one(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuers, "REFRESH_PAUSE_S", 0.0)
    old = issuer.token()
    for _ in range(3):
        read_workflow(old)
    assert issuer.requests.count(KEYS) == 1

    issuer.rotate()

    assert read_workflow(issuer.token()).repository_id == 712
    assert issuer.requests.count(KEYS) == 2
    with pytest.raises(UnauthorizedError, match=r"the key 'key-0', which .* does not have"):
        read_workflow(old)


def test_unknown_keys_do_not_have_the_issuer_asked_again_and_again(issuer: Issuer) -> None:
    for number in range(50):
        with pytest.raises(UnauthorizedError, match="does not have"):
            read_workflow(issuer.signed(issuer.claims(), kid=f"made-up-{number}"))

    assert issuer.requests.count(KEYS) == 1


def test_an_issuer_that_does_not_answer_is_told_and_left_alone_for_a_while(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    issuer.is_down = True
    for _ in range(5):
        with pytest.raises(UnavailableError, match="cannot be fetched"):
            read_workflow(issuer.token())
    assert len(issuer.requests) == 1

    issuer.is_down = False
    monkeypatch.setattr(issuers, "RETRY_PAUSE_S", 0.0)
    assert read_workflow(issuer.token()).repository_id == 712


def test_an_issuer_cannot_send_us_elsewhere_for_its_keys(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with issuing() as other:
        described = {"issuer": issuer.url, "jwks_uri": other.url + KEYS}
        monkeypatch.setattr(issuer, "answer", lambda path: described)
        with pytest.raises(UnavailableError):
            read_workflow(issuer.token())
        assert other.requests == []


def test_pull_request_target_is_refused(issuer: Issuer) -> None:
    with pytest.raises(ForbiddenError, match="pull_request_target may not upload"):
        read_workflow(issuer.token(event_name="pull_request_target"))


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        ("https://github.com", GITHUB),
        ("https://github.acme.example", "https://github.acme.example/_services/token"),
        ("https://acme.ghe.com", "https://token.actions.acme.ghe.com"),
    ],
)
def test_every_github_has_its_issuer(address: str, wanted: str) -> None:
    assert issuer_of(address) == wanted


def test_keys_are_kept_per_issuer() -> None:
    assert keys_of("https://a.example") is keys_of("https://a.example")
    assert keys_of("https://a.example") is not keys_of("https://b.example")
