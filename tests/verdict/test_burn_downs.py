"""The days of a repository's budget."""

from datetime import timedelta
from itertools import pairwise

import pytest

from tests.flows.suites import START, WORDING, CaseRun, suite, take
from triage.models import Repository
from triage.verdict.burn_downs import FORECAST_DAYS, budget_days
from triage.verdict.standings import repository_standing

pytestmark = pytest.mark.django_db

SIZE = 4
WINDOW = 30


def flake(day: int) -> None:
    """Take a run of the default branch on a day of the story in which one case flakes."""
    flaky = CaseRun("test_ticket[1]", WORDING)
    take(suite(SIZE, flaky), day, at=START + timedelta(days=day))


def test_the_last_day_that_has_been_is_the_standing_of_today() -> None:
    for day in (0, 3, 40):
        flake(day)
    repository, until = Repository.objects.get(), START + timedelta(days=41)

    today = budget_days(repository.pk, until)[WINDOW - 1]
    standing = repository_standing(repository.pk, until)

    assert today.day == until.date()
    assert (today.spent, today.allowance) == (standing.spent, standing.allowance)


def test_a_charge_is_held_for_a_window_and_leaves_it() -> None:
    flake(0)
    repository = Repository.objects.get()

    held = {
        each.day: each.spent
        for each in budget_days(repository.pk, START + timedelta(days=WINDOW + 5))
    }

    assert held[START.date() + timedelta(days=WINDOW - 1)] == 1
    assert held[START.date() + timedelta(days=WINDOW)] == 0


def test_the_forecast_goes_on_at_the_pace_of_the_last_week() -> None:
    for day in range(7):
        flake(day)
    repository = Repository.objects.get()

    days = budget_days(repository.pk, START + timedelta(days=6))

    ahead = [each for each in days if each.is_forecast]
    assert [each.spent for each in ahead] == [8, 9, 10, 11, 12, 13, 14]
    assert len(days) == WINDOW + FORECAST_DAYS
    assert all(a.allowance <= b.allowance for a, b in pairwise(ahead))
