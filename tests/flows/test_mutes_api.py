"""Muting over HTTP."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.web.builders import make_case, make_repository
from triage.models import Case, Mute
from triage.upload.tokens import create_token

pytestmark = pytest.mark.django_db


def body(days: int = 14, **told: Any) -> dict[str, Any]:
    until = timezone.now() + timedelta(days=days)
    return {"owner": "@acme/refunds", "reason": "rollout", "until": until.isoformat()} | told


def call(case: Case, method: str, told: dict[str, Any] | None = None, token: str = "") -> Any:
    """Ask the API with a token of the case's repository, unless another one is given."""
    token = token or create_token(case.repository, "ci", ["upload", "read", "decide"])
    return Client().generic(
        method,
        f"/api/v1/cases/{case.pk}/mute",
        json.dumps(told or {}),
        "application/json",
        headers={"Authorization": f"Bearer {token}"},
    )


def test_a_mute_is_made_and_ended_in_the_name_of_the_token() -> None:
    case = make_case(make_repository())

    made = call(case, "POST", body())
    ended = call(case, "DELETE")

    assert (made.status_code, ended.status_code) == (201, 200)
    assert made.json()["owner"] == "@acme/refunds"
    assert (made.json()["created_by"], made.json()["ended_at"]) == ("token ci", None)
    assert ended.json()["ended_by"] == "token ci"
    assert call(case, "DELETE").status_code == 404


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (body(days=31), "until must lie within the next 30 days"),
        (body(reason=" "), "reason must have 1 to 300 printable characters"),
        (body(until="2026-12-15T00:00:00"), "timezone"),
        (body(until="soon"), "until: "),
        ({}, "owner: "),
    ],
)
def test_what_is_not_legal_is_answered_with_the_reason(told: dict[str, Any], message: str) -> None:
    case = make_case(make_repository())

    answer = call(case, "POST", told)

    assert answer.status_code == 400
    assert message in answer.json()["error"]["message"]
    assert not Mute.objects.exists()


def test_a_case_of_another_repository_is_not_there() -> None:
    theirs = make_case(make_repository("other/bot"))
    ours = create_token(make_repository(), "ci", ["upload", "read", "decide"])

    assert call(theirs, "POST", body(), ours).status_code == 404
    assert call(theirs, "POST", body(), "nonsense").status_code == 401
    assert not Mute.objects.exists()
