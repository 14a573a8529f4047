"""The page of a repository's budgets."""

from datetime import timedelta

import pytest
import time_machine

from tests.flows.suites import FLIP, REPO, START, WORDING, CaseRun, history, suite, take
from tests.web.pages.reading import queries, text
from triage.upload.acceptance import find_or_add_repository

pytestmark = pytest.mark.django_db

PATH = f"/repositories/{REPO}/budgets/"


@pytest.fixture(autouse=True)
def _two_days_later() -> object:
    with time_machine.travel(START + timedelta(days=2), tick=False):
        yield


def charged_history(charged: int) -> None:
    """Take a history in which some cases were charged once."""
    history(8)
    for number in range(charged):
        take(suite(8, CaseRun(f"test_ticket[{number}]", WORDING)), 20 + number)


def test_cases_stand_in_the_order_of_how_much_is_used() -> None:
    charged_history(2)
    take(suite(8, CaseRun("test_ticket[1]", WORDING)), 30)

    page = text(PATH)

    assert page.index("test_ticket[1]") < page.index("test_ticket[0]")
    assert "<b>2</b> of" in page
    assert "test_ticket[5]" not in page


def test_a_label_flip_is_in_no_budget() -> None:
    history(8)
    take(suite(8, CaseRun("test_ticket[0]", FLIP, "billing")), 20)

    page = text(PATH)

    assert "No case was charged in the last 30 days." in page
    assert "Nothing was charged. Label flips never are." in page


def test_a_repository_without_runs_has_empty_budgets() -> None:
    find_or_add_repository(REPO)

    assert "No case was charged" in text(PATH)


def test_the_calculator_starts_from_twelve_of_five_hundred() -> None:
    find_or_add_repository(REPO)

    page = text(PATH)

    assert "99.2 %" in page
    assert "4.8" in page
    assert "124" in page


def test_the_calculator_says_what_is_wrong_with_a_number() -> None:
    find_or_add_repository(REPO)

    page = text(PATH + "?rate=0&cases=many")

    assert "Ensure this value is greater than or equal to 0.001." in page
    assert "Enter a whole number." in page


def test_the_number_of_queries_does_not_grow_with_the_charges() -> None:
    charged_history(1)
    few = queries(PATH)
    charged_history(6)

    assert queries(PATH) == few
