"""Deliveries that nobody at GitHub signed, or that are none: refused, and nothing is kept."""

import hmac
import json
import uuid
from collections.abc import Mapping
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.flows.github import HOOK
from tests.servers.github.world import APP_ID, INSTALLATION, SLUG, WEBHOOK_SECRET
from triage.models import GitHubApp, Installation, WebhookDelivery
from triage.sealing import seal
from triage.webhooks.views import MOST_BYTES

pytestmark = pytest.mark.django_db(transaction=True)

INSTALLED = {
    "action": "created",
    "installation": {"id": INSTALLATION, "account": {"login": "acme"}},
    "repositories": [],
}
BODY = json.dumps(INSTALLED).encode()
DELETED = BODY.replace(b"created", b"deleted")
FIRST = "11111111-2222-3333-4444-555555555555"


@pytest.fixture(autouse=True)
def _app() -> None:
    """The App, and one delivery that came in well."""
    GitHubApp.objects.create(
        app_id=APP_ID,
        slug=SLUG,
        sealed_private_key=seal("never used here"),
        sealed_webhook_secret=seal(WEBHOOK_SECRET),
    )
    assert send().status_code == 202


def signed(body: bytes, secret: str = WEBHOOK_SECRET, kind: str = "sha256") -> str:
    """Return the signature of a body."""
    return f"{kind}={hmac.new(secret.encode(), body, kind).hexdigest()}"


def send(
    body: bytes = BODY,
    headers: Mapping[str, str | None] | None = None,
    *,
    method: str = "POST",
    kind: str = "application/json",
) -> HttpResponse:
    """Send a delivery as GitHub would, but for the headers that are told; ``None`` leaves one out.

    Unless told otherwise it is the delivery that the fixture has sent.
    """
    told: dict[str, str | None] = {
        "X-GitHub-Event": "installation",
        "X-GitHub-Delivery": FIRST,
        "X-Hub-Signature-256": signed(body),
    }
    told |= headers or {}
    kept = {name: value for name, value in told.items() if value is not None}
    answer: Any = Client().generic(method, HOOK, body, content_type=kind, headers=kept)
    assert isinstance(answer, HttpResponse)
    return answer


def state() -> list[Any]:
    """Return all that a delivery may change."""
    return [
        list(model.objects.order_by("pk").values()) for model in (WebhookDelivery, Installation)
    ]


NEW: dict[str, str | None] = {"X-GitHub-Delivery": str(uuid.UUID(int=2))}
SIGNATURES = {
    "missing": None,
    "empty": "",
    "wrong": "sha256=" + "0" * 64,
    "truncated": signed(DELETED)[:-1],
    "without its kind": signed(DELETED).removeprefix("sha256="),
    "sha1 under the name of sha256": signed(DELETED, kind="sha1"),
    "of another secret": signed(DELETED, "another"),
    "of no secret": signed(DELETED, ""),
    "of another body": signed(BODY),
    "in capitals": signed(DELETED).upper(),
    "with a byte that is no ASCII": "sha256=\xe9",
    "twice": f"{signed(DELETED)}, {signed(DELETED)}",
}


@pytest.mark.parametrize("signature", SIGNATURES.values(), ids=SIGNATURES)
@pytest.mark.parametrize("delivery", [FIRST, NEW["X-GitHub-Delivery"]], ids=["replayed", "new"])
def test_a_delivery_that_is_not_signed_is_refused(
    signature: str | None, delivery: str | None
) -> None:
    before = state()
    headers = {"X-Hub-Signature-256": signature, "X-GitHub-Delivery": delivery}
    answer = send(DELETED, headers)

    assert answer.status_code == 401
    message = json.loads(answer.content)["error"]["message"]
    assert message.startswith("X-Hub-Signature-256 ")
    assert message.endswith("secret")
    assert state() == before


def test_the_older_signature_alone_is_not_taken() -> None:
    before = state()
    headers = NEW | {"X-Hub-Signature-256": None, "X-Hub-Signature": signed(DELETED, kind="sha1")}

    assert send(DELETED, headers).status_code == 401
    assert state() == before


NOT_DELIVERIES: dict[str, tuple[bytes, dict[str, Any], int, str]] = {
    "no event": (DELETED, {"headers": NEW | {"X-GitHub-Event": None}}, 400, "X-GitHub-Event"),
    "no id": (DELETED, {"headers": {"X-GitHub-Delivery": None}}, 400, "X-GitHub-Delivery"),
    "an endless id": (
        DELETED,
        {"headers": {"X-GitHub-Delivery": "1" * 65}},
        400,
        "must hold 1 to 64 characters, got 65",
    ),
    "a known id with another body": (DELETED, {}, 409, f"delivery {FIRST} came in before"),
    "a known id with another event": (
        BODY,
        {"headers": {"X-GitHub-Event": "push"}},
        409,
        f"delivery {FIRST} came in before",
    ),
    "a form": (
        DELETED,
        {"headers": NEW, "kind": "application/x-www-form-urlencoded"},
        415,
        "got 'application/x-www-form-urlencoded'; choose that content type",
    ),
    "no content type": (DELETED, {"headers": NEW, "kind": ""}, 415, "a delivery is"),
    "no JSON": (b"{", {"headers": NEW}, 400, "no JSON object"),
    "a number that JSON has not": (b'{"id": NaN}', {"headers": NEW}, 400, "no JSON object"),
    "a list": (b"[]", {"headers": NEW}, 400, "no JSON object"),
    "nothing": (b" ", {"headers": NEW}, 400, "no JSON object"),
    "endless nesting": (b'{"a":' + b"[" * 100_000, {"headers": NEW}, 400, "no JSON object"),
}


@pytest.mark.parametrize("told", NOT_DELIVERIES.values(), ids=NOT_DELIVERIES)
def test_what_is_no_delivery_is_refused_though_it_is_signed(
    told: tuple[bytes, dict[str, Any], int, str],
) -> None:
    body, how, status, message = told
    before = state()
    answer = send(body, **how)

    assert answer.status_code == status
    assert message in json.loads(answer.content)["error"]["message"]
    assert state() == before


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_another_method_is_refused(method: str) -> None:
    before = state()
    answer = send(DELETED, NEW, method=method)

    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert f"by POST, not {method}" in json.loads(answer.content)["error"]["message"]
    assert state() == before


def test_a_body_that_is_too_large_is_refused_unread() -> None:
    before = state()
    answer = send(DELETED, NEW | {"Content-Length": str(MOST_BYTES + 1)})

    assert answer.status_code == 413
    assert state() == before


def test_a_delivery_that_comes_again_changes_nothing() -> None:
    before = state()

    assert json.loads(send().content) == {"delivery": FIRST, "is_new": False}
    assert state() == before


def test_characters_that_no_database_holds_are_replaced() -> None:
    body = json.dumps(INSTALLED | {"note": "a\0b\ud800"}).encode()
    for is_new in (True, False):
        answer = send(body, NEW)
        assert json.loads(answer.content)["is_new"] is is_new

    kept = WebhookDelivery.objects.get(delivery_id=NEW["X-GitHub-Delivery"])
    assert kept.body["note"] == "a\ufffdb?"


def test_without_an_app_nothing_is_taken() -> None:
    GitHubApp.objects.all().delete()
    before = state()

    assert send(DELETED, NEW).status_code == 404
    assert state() == before


def test_signatures_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return False

    monkeypatch.setattr("triage.webhooks.signatures.hmac.compare_digest", compare)

    assert send(DELETED, NEW).status_code == 401
    assert len(compared) == 1
