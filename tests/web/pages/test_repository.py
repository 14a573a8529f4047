"""A repository's page."""

from datetime import timedelta

import pytest
import time_machine

from tests.flows.suites import START, WORDING, CaseRun, history, suite, take
from tests.web.builders import (
    AT,
    REPO,
    flip,
    make_case,
    make_epoch,
    make_judged_run,
    make_repository,
    make_run,
)
from tests.web.pages.reading import html, queries, text
from tests.web.people import member
from triage.models import Repository
from triage.terms import Conclusion
from triage.web.pages.repository import RUNS_PER_PAGE

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("the_next_day")]

PATH = f"/r/{REPO}/"


@pytest.fixture
def the_next_day() -> object:
    """The day after the builders' day, so that their rows are in the window."""
    with time_machine.travel(AT + timedelta(days=1), tick=False):
        yield


def many_runs(count: int) -> Repository:
    """Make runs an hour apart; the number of a run is in its headline."""
    repository = make_repository()
    for number in range(count):
        at = AT - timedelta(hours=count - number)
        make_judged_run(repository, at=at, headline=f"Run number {number}.")
    return repository


def test_runs_are_shown_newest_first_with_their_decision() -> None:
    many_runs(3)

    page = text(PATH)

    assert page.index("Run number 2.") < page.index("Run number 1.") < page.index("Run number 0.")


@pytest.mark.parametrize(
    ("page", "shown"),
    [("1", 1), ("2", 2), ("abc", 1), ("", 1), ("-1", 2), ("0", 2), ("9" * 20, 2), ("9" * 5000, 1)],
)
def test_any_page_number_leads_to_a_page(page: str, shown: int) -> None:
    many_runs(RUNS_PER_PAGE + 1)

    assert f"Page {shown} of 2 (26 runs)" in text(f"{PATH}?page={page}")


def test_links_to_pages_keep_the_filter() -> None:
    many_runs(RUNS_PER_PAGE + 1)

    assert 'href="?branch=main&amp;page=2"' in html(f"{PATH}?branch=main")


def test_runs_can_be_narrowed_to_a_pull_request_a_branch_and_a_conclusion() -> None:
    repository = make_repository()
    make_judged_run(repository, headline="On the branch.", branch="main")
    make_judged_run(repository, headline="Of the change.", branch="topic", pr=42)
    make_judged_run(
        repository,
        headline="It blocks.",
        branch="other",
        conclusion=Conclusion.BLOCKED,
    )
    sentences = ("On the branch.", "Of the change.", "It blocks.")
    shown = {
        query: [each for each in sentences if each in text(f"{PATH}?{query}")]
        for query in ("branch=main", "pr=42", "conclusion=blocked", "pr=42&branch=main")
    }

    assert shown == {
        "branch=main": ["On the branch."],
        "pr=42": ["Of the change."],
        "conclusion=blocked": ["It blocks."],
        "pr=42&branch=main": [],
    }


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("pr=abc", "A pull request is a whole number, such as 42."),
        (f"pr={10**20}", "less than or equal to 2147483647"),
        ("pr=0", "greater than or equal to 1"),
        ("conclusion=great", "Select a valid choice. great is not one of the available choices."),
    ],
)
def test_a_filter_that_is_wrong_says_so_and_filters_nothing(query: str, message: str) -> None:
    many_runs(1)

    page = text(f"{PATH}?{query}")

    assert message in page
    assert "Run number 0." in page


def test_a_filter_that_nothing_fits_is_told_from_an_empty_repository() -> None:
    many_runs(1)

    assert "No run fits this filter." in text(f"{PATH}?branch=nowhere")


def test_a_repository_without_runs_shows_how_to_send_one() -> None:
    make_repository()

    page = text(PATH)

    assert "No run has been uploaded yet." in page
    assert f"tiebreak create_token {REPO}" in page
    assert f'-F repo={REPO} -F sha="$(git rev-parse HEAD)"' in page


def test_a_run_that_is_not_judged_yet_is_shown_as_such() -> None:
    make_run(make_repository())

    assert "not judged yet" in text(PATH)


def test_cases_that_flip_come_before_cases_that_flake_more() -> None:
    repository = make_repository()
    make_epoch(make_case(repository, "flakes::often"), calls=500, text=12)
    make_epoch(make_case(repository, "flips::once"), calls=500, text=0, label=1)
    make_epoch(make_case(repository, "is::calm"), calls=500, text=0)

    page = text(PATH)

    assert page.index("flips::once") < page.index("flakes::often")
    assert "2.4 % (12 of 500, " in page
    assert "is::calm" not in page


def test_a_repository_that_is_not_there_is_named_in_the_answer() -> None:
    response = member().get("/r/acme/nowhere/")

    assert response.status_code == 404
    assert (
        "There is no repository “acme/nowhere” here, or it is not open to you"
        in response.content.decode()
    )


def test_the_number_of_queries_is_the_same_for_few_runs_and_many() -> None:
    repository = many_runs(1)
    make_epoch(make_case(repository), label=1)
    few = queries(PATH)
    for number in range(5):
        case = make_case(repository, f"case {number}")
        make_epoch(case, label=1)
        make_judged_run(repository, [flip(case)])

    assert queries(PATH) == few == 23


def test_rates_over_time_are_shown_once_something_differed() -> None:
    repository = make_repository()
    case = make_case(repository)
    assert "Label flips per call over time" not in html(PATH)

    make_epoch(case, calls=500, text=12, label=2)

    page = html(PATH)
    assert "Label flips per call over time" in page
    assert "Wording differences per call over time" in page


def test_the_budget_by_day_has_its_numbers_in_a_table() -> None:
    with time_machine.travel(START + timedelta(days=2)):
        history(4, 3)
        take(suite(4, CaseRun("test_ticket[1]", WORDING)), 20)

        page = " ".join(text(PATH).split())

    assert "Flake budget by day" in page
    assert '<td>1 Oct</td><td class="number">0</td>' in page
    assert '<td>2 Oct</td><td class="number">1</td>' in page
    assert page.count("(forecast)") == 7
