"""Budgets over HTTP."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from tests.flows.suites import FLIP, REPO, START, WORDING, CaseRun, history, suite, take
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _two_days_later() -> object:
    with time_machine.travel(START + timedelta(days=2), tick=False):
        yield


def get(path: str, repo: str = REPO) -> Any:
    """Ask with a token of a repository."""
    secret = create_token(find_or_add_repository(repo), "ci")
    response = Client().get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {secret}"})
    assert response.status_code == 200
    return response.json()


def test_budgets_tell_window_standing_and_forecast() -> None:
    history(4)
    take(suite(4, CaseRun("test_ticket[0]", WORDING)), 20)

    answer = get("budgets")

    (case,) = answer["cases"]
    assert case["case"].endswith("test_ticket[0]")
    assert case["budget"]["spent"] == 1
    assert case["budget"]["window"] == "30 days"
    assert case["budget"]["expires_in_days"] == 29
    assert answer["budget"]["scope"] == "repository"


def test_a_charge_is_listed_and_a_flip_is_not() -> None:
    history(4)
    changed = [CaseRun("test_ticket[0]", WORDING), CaseRun("test_ticket[1]", FLIP, "billing")]
    take(suite(4, *changed), 20)

    (charge,) = get("budgets/charges")["charges"]

    assert (charge["amount"], charge["difference"]) == (1, "text")


def test_budgets_and_charges_are_filtered() -> None:
    history(4)
    for number in (20, 21):
        take(suite(4, CaseRun(f"test_ticket[{number - 20}]", WORDING)), number)

    charges = get("budgets/charges")["charges"]
    first = charges[-1]
    of_case = get(f"budgets/charges?case_id={first['case_id']}")
    of_run = get(f"budgets/charges?run={first['run']}&size=1")
    standing = get("budgets")["cases"][0]["budget"]["standing"]
    wanted = get(f"budgets?standing={standing}")

    assert (len(charges), of_case["charges"], of_run["charges"]) == (2, [first], [first])
    assert get(f"budgets/charges?run={first['run'] + 1_000}")["total"] == 0
    assert wanted["total"] == 2
    assert get("budgets?standing=burning")["total"] == 0


def test_a_token_sees_the_budgets_of_its_own_repository_only() -> None:
    history(4)
    take(suite(4, CaseRun("test_ticket[0]", WORDING)), 20)

    assert get("budgets", "other/repository")["cases"] == []
    assert get("budgets/charges", "other/repository")["charges"] == []
