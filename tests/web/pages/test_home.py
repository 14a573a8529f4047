"""The first page."""

from datetime import timedelta

import pytest
import time_machine

from tests.web.builders import (
    AT,
    make_case,
    make_epoch,
    make_escalation,
    make_judged_run,
    make_repository,
    make_run,
)
from tests.web.pages.reading import queries, text
from triage.models import Repository
from triage.terms import Conclusion, EscalationState
from triage.web.pages.home import MOST_NEEDING_YOU, home_page

pytestmark = pytest.mark.django_db

TODAY = AT + timedelta(days=1)
BLOCKED = {"conclusion": Conclusion.BLOCKED, "headline": "Do not merge: 1 regression"}


def needing() -> list[tuple[str, str]]:
    """Return commit and word of the runs that need somebody."""
    from django.http import QueryDict

    return [
        (row.run.sha, row.badge.word)
        for row in home_page(QueryDict(), Repository.objects.all()).needing
    ]


@time_machine.travel(TODAY, tick=False)
def test_a_blocking_run_needs_you() -> None:
    make_judged_run(make_repository(), sha="b" * 40, **BLOCKED)

    assert needing() == [("b" * 40, "blocked")]


@time_machine.travel(TODAY, tick=False)
def test_a_run_that_a_later_one_of_its_branch_superseded_needs_nobody() -> None:
    repository = make_repository()
    make_judged_run(repository, sha="a" * 40, at=AT - timedelta(hours=2), **BLOCKED)
    make_judged_run(repository, sha="b" * 40, at=AT)

    assert needing() == []


@time_machine.travel(TODAY, tick=False)
def test_a_passing_pull_request_does_not_hide_a_blocked_branch() -> None:
    repository = make_repository()
    make_judged_run(repository, sha="a" * 40, at=AT - timedelta(hours=2), **BLOCKED)
    make_judged_run(repository, sha="b" * 40, at=AT, pr=7)

    assert needing() == [("a" * 40, "blocked")]


@time_machine.travel(TODAY, tick=False)
def test_a_run_that_is_not_judged_yet_supersedes_nothing() -> None:
    repository = make_repository()
    make_judged_run(repository, sha="a" * 40, at=AT - timedelta(hours=2), **BLOCKED)
    make_run(repository, sha="b" * 40)

    assert needing() == [("a" * 40, "blocked")]


@time_machine.travel(AT + timedelta(days=15), tick=False)
def test_a_run_older_than_two_weeks_needs_nobody() -> None:
    make_judged_run(make_repository(), **BLOCKED)

    assert needing() == []
    assert "Nothing: no run of the last two weeks blocks or holds" in text("/")


@time_machine.travel(TODAY, tick=False)
def test_the_list_of_what_needs_you_is_bounded() -> None:
    repository = make_repository()
    for pr in range(1, MOST_NEEDING_YOU + 4):
        make_judged_run(repository, pr=pr, **BLOCKED)

    assert len(needing()) == MOST_NEEDING_YOU


@time_machine.travel(TODAY, tick=False)
def test_an_open_escalation_is_a_question_with_its_owner() -> None:
    case = make_case(make_repository())
    make_escalation(case, make_epoch(case))

    page = text("/")

    assert case.title in page
    assert "@acme/fraud-ops" in page
    assert "Nothing: no run" not in page


@time_machine.travel(TODAY, tick=False)
def test_a_decided_escalation_is_asked_no_more() -> None:
    case = make_case(make_repository())
    make_escalation(case, make_epoch(case), state=EscalationState.DECIDED)

    assert "@acme/fraud-ops" not in text("/")


def test_a_repository_without_runs_is_listed_as_such() -> None:
    make_repository()

    page = text("/")

    assert "acme/support-bot" in page
    assert "no run yet" in page


@time_machine.travel(TODAY, tick=False)
def test_the_number_of_queries_is_the_same_for_one_repository_and_many() -> None:
    first = make_repository()
    make_judged_run(first, **BLOCKED)
    case = make_case(first)
    make_escalation(case, make_epoch(case))
    few = queries("/")
    for number in range(4):
        repository = make_repository(f"acme/more-{number}")
        make_judged_run(repository, **BLOCKED)
        case = make_case(repository)
        make_escalation(case, make_epoch(case))

    assert queries("/") == few == 9
