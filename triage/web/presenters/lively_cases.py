"""The LLM cases of a repository that flip or flake most."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import F, Sum

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
    sums = (
        EpochDay.objects.filter(repository_id=repository_id, day__gte=since)
        .values("epoch__case_id")
        .annotate(
            made=Sum("calls"),
            flips=Sum("label"),
            wording=Sum(F("text") + F("invalid") + F("unknown")),
        )
        .exclude(flips=0, wording=0)
        .order_by("-flips", "-wording", "epoch__case_id")
        .values_list("epoch__case_id", "made", "flips", "wording")[:MOST_CASES]
    )
    rows = list(sums)
    cases = Case.objects.in_bulk([row[0] for row in rows])
    return [
        LivelyCase(cases[pk], rate_of(flips, made), rate_of(wording, made))
        for pk, made, flips, wording in rows
    ]
