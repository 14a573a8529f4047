"""The LLM cases of a repository that flip or flake most."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import F, QuerySet, Sum

from triage.models import Case, EpochDay
from triage.web.presenters.rates import Rate, rate_of

MOST_CASES = 20


@dataclass(frozen=True, slots=True)
class LivelyCase:
    """A case with how often its label flipped and its wording differed."""

    case: Case
    flips: Rate
    wording: Rate


def lively_cases(repository_id: int, since: date) -> Sequence[LivelyCase]:
    """Return the liveliest cases since a day: flips weigh first, they are never budgeted."""
    sums = sums_of_cases(repository_id, since).exclude(flips=0, wording=0)
    rows = list(sums.order_by("-flips", "-wording", "epoch__case_id")[:MOST_CASES])
    cases = Case.objects.in_bulk([row[0] for row in rows])
    return [
        LivelyCase(cases[pk], rate_of(flips, made), rate_of(wording, made))
        for pk, made, flips, wording in rows
    ]


def sums_of_cases(repository_id: int, since: date) -> QuerySet[Any, Any]:
    """Return by case how many calls it made since a day, its flips and wording differences."""
    days = EpochDay.objects.filter(repository_id=repository_id, day__gte=since)
    sums = days.values("epoch__case_id").annotate(
        made=Sum("calls"),
        flips=Sum("label"),
        wording=Sum(F("text") + F("invalid") + F("unknown")),
    )
    return sums.order_by().values_list("epoch__case_id", "made", "flips", "wording")
