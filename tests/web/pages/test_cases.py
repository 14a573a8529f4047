"""The list of cases: search, order, rates, keys."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from tests.flows.suites import FLIP, REPO, START, WORDING, CaseRun, history, suite, take
from tests.web.builders import AT, make_case, make_repository
from tests.web.pages.reading import queries, text
from tests.web.people import sign_in_member
from triage.models import Case
from triage.web.pages.cases import CASES_PER_PAGE
from triage.web.presenters.filters import CaseOrder

pytestmark = pytest.mark.django_db

PATH = f"/repositories/{REPO}/cases/"


@pytest.fixture(autouse=True)
def _two_days_later() -> object:
    with time_machine.travel(START + timedelta(days=2)):
        yield


def lively_suite() -> None:
    """Take a history in which one case flipped and another one flaked."""
    history(8)
    take(suite(8, CaseRun("test_ticket[5]", FLIP, "billing")), 20)
    take(suite(8, CaseRun("test_ticket[3]", WORDING)), 21)


def order(page: str) -> list[int]:
    """Return the numbers of the cases in the order in which a page shows them."""
    return [int(part.split("]")[0]) for part in page.split("test_ticket[")[1:]]


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("", [5, 3]),
        ("?sort=wording", [3, 5]),
        ("?sort=uncertainty", [3, 5]),
        ("?sort=name", [0, 1]),
    ],
)
def test_cases_stand_in_the_order_that_is_asked_for(asked: str, first: list[int]) -> None:
    lively_suite()

    assert order(text(PATH + asked))[:2] == first


def test_the_last_seen_stands_first_when_that_is_asked_for() -> None:
    repository = make_repository(REPO)
    make_case(repository, "old")
    newest = make_case(repository, "new")
    Case.objects.filter(pk=newest.pk).update(last_seen_at=AT + timedelta(days=1))

    page = text(f"{PATH}?sort=seen")

    assert page.index(">new<") < page.index(">old<")


def test_a_rate_is_told_with_its_counts() -> None:
    lively_suite()

    assert "(1 of 14, " in text(f"{PATH}?q=ticket[5]")
    assert "none in 14 calls" in text(f"{PATH}?q=ticket[4]")


def test_every_word_of_a_search_stands_in_the_name_in_any_order() -> None:
    lively_suite()

    assert order(text(f"{PATH}?q=[6]+ticket")) == [6]
    assert "No case fits this search." in text(f"{PATH}?q=ticket+nowhere")
    assert order(text(f"{PATH}?q=[6]&kind=llm")) == [6]
    assert "No case fits this search." in text(f"{PATH}?q=[6]&kind=other")


@pytest.mark.parametrize("asked", ["?kind=x", "?sort=x", "?page=x", "?q=" + "y" * 201])
def test_what_cannot_be_meant_filters_nothing(asked: str) -> None:
    lively_suite()

    assert len(order(text(PATH + asked))) == 8


def test_a_search_with_markup_in_it_stays_text() -> None:
    make_repository(REPO)

    page = text(f'{PATH}?q="><script>alert(1)</script>')

    assert "<script>alert" not in page.replace('value=""><script>alert(1)</script>"', "")
    assert "No case fits this search." in page


def test_a_repository_without_cases_says_so() -> None:
    make_repository(REPO)

    assert "No case has been reported yet." in text(PATH)


def test_a_long_list_has_pages_and_takes_the_same_queries() -> None:
    repository = make_repository(REPO)
    make_case(repository, "case 0")
    few = queries(PATH)
    for number in range(1, CASES_PER_PAGE + 1):
        make_case(repository, f"case {number}")

    assert queries(PATH) == few
    assert f"Page 2 of 2 ({CASES_PER_PAGE + 1} cases)" in text(f"{PATH}?page=2")


@pytest.mark.browser
def test_a_slash_goes_to_the_search_and_j_and_k_walk_the_list(
    live_server: Any, browser_page: Any
) -> None:
    lively_suite()
    sign_in_member(browser_page, live_server.url)
    browser_page.goto(PATH)

    browser_page.keyboard.press("j")
    browser_page.keyboard.press("j")
    assert browser_page.evaluate("document.activeElement.textContent").endswith("[3]")
    browser_page.keyboard.press("k")
    assert browser_page.evaluate("document.activeElement.textContent").endswith("[5]")

    browser_page.keyboard.press("/")
    browser_page.keyboard.type("jk/")
    assert browser_page.input_value("input[type=search]") == "jk/"


@pytest.mark.parametrize("order", CaseOrder)
def test_a_repository_in_which_no_case_calls_an_llm_can_be_sorted_too(order: CaseOrder) -> None:
    make_case(make_repository(REPO), "alone")

    assert ">alone<" in text(f"{PATH}?sort={order.value}")
