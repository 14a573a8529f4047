"""Does 2.4 % apply here? Three conditions, each held against what was recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, F, Q, QuerySet, Sum

from budgets.applicability import (
    Answer,
    Condition,
    byte_sensitive_assertion,
    load_pattern,
    near_tie,
    published_rate_applies,
)
from budgets.near_tie import Margins, is_near_tie
from triage.history.suite_state import margin_check
from triage.history.suites import suite_history
from triage.models import Case, Epoch, EpochHour, Observation, Result, Run
from triage.terms import Difference

HOURS_PER_STRATUM = 6
STRATA = 4
# How far back stored calls are looked at: a share settles long before, and a page has to answer
# as fast after years as on the first day.
NEWEST_RESULTS = 200
NEWEST_RUNS = 100


@dataclass(frozen=True, slots=True)
class Conditions:
    """The three conditions with the numbers they were held against, and what follows."""

    near_tie: Condition
    load_pattern: Condition
    byte_sensitive: Condition
    divergent: int
    calls: int
    # What the test says that it compares; empty where it does not.
    assertion: str
    # Divergences whose label is known, and how many of them kept the expected one.
    labelled: int
    label_kept: int
    # Stored calls that told a confidence.
    with_confidence: int

    @property
    def applies(self) -> Answer:
        """Whether the published rate says anything here."""
        return published_rate_applies(self.near_tie, self.load_pattern, self.byte_sensitive)


def conditions_of_case(case: Case, epoch: Epoch) -> Conditions:
    """Hold the conditions against one epoch of a case."""
    divergent = epoch.text + epoch.invalid + epoch.unknown + epoch.label
    hours = EpochHour.objects.filter(epoch=epoch)
    # Asked for the epoch, too, the database would read all results that the case ever had.
    results = Result.objects.filter(case=case).order_by("-at")[:NEWEST_RESULTS]
    seen = Observation.objects.filter(result__in=results, result__epoch=epoch)
    return _conditions(
        near_tie(divergent, epoch.calls, is_tied_by_margin=_is_tied(case, epoch)),
        divergent,
        epoch.calls,
        hours,
        seen,
        epoch.assertion,
    )


def conditions_of_repository(repository_id: int) -> Conditions:
    """Hold the conditions against all LLM cases of a repository together."""
    epochs = Epoch.objects.filter(repository_id=repository_id, case__is_llm=True)
    totals = epochs.aggregate(
        divergent=Sum(F("text") + F("invalid") + F("unknown") + F("label")), made=Sum("calls")
    )
    divergent, calls = totals["divergent"] or 0, totals["made"] or 0
    hours = EpochHour.objects.filter(repository_id=repository_id, epoch__case__is_llm=True)
    runs = Run.objects.filter(repository_id=repository_id).order_by("-at")[:NEWEST_RUNS]
    seen = Observation.objects.filter(result__run__in=runs, result__case__is_llm=True)
    return _conditions(near_tie(divergent, calls), divergent, calls, hours, seen)


def _conditions(
    tie: Condition,
    divergent: int,
    calls: int,
    hours: QuerySet[EpochHour],
    seen: QuerySet[Observation],
    assertion: str = "",
) -> Conditions:
    stored = _stored_calls(seen)
    return Conditions(
        tie,
        load_pattern(*_strata(hours)),
        byte_sensitive_assertion(stored["label_kept"], stored["labelled"], assertion or None),
        divergent,
        calls,
        assertion,
        **stored,
    )


def _strata(hours: QuerySet[EpochHour]) -> tuple[np.ndarray, np.ndarray]:
    """Return divergent calls and calls per epoch and six hours of the day."""
    rows: Sequence[tuple[int, int, int, int]] = list(
        hours.values_list(
            "epoch_id", "hour", "calls", F("text") + F("invalid") + F("unknown") + F("label")
        )
    )
    epochs = {epoch_id: row for row, epoch_id in enumerate(sorted({each[0] for each in rows}))}
    diverged, made = np.zeros((2, max(len(epochs), 1), STRATA))
    for epoch_id, hour, calls, differing in rows:
        diverged[epochs[epoch_id], hour // HOURS_PER_STRATUM] += differing
        made[epochs[epoch_id], hour // HOURS_PER_STRATUM] += calls
    return diverged, made


def _stored_calls(seen: QuerySet[Observation]) -> dict[str, int]:
    """Count the divergences whose label is known or kept, and the calls with a confidence."""
    known = Q(expected__isnull=False, observed__isnull=False)
    differing = known & Q(difference__in=[Difference.TEXT, Difference.LABEL])
    return seen.aggregate(
        labelled=Count("pk", filter=differing),
        label_kept=Count("pk", filter=known & Q(difference=Difference.TEXT)),
        with_confidence=Count("pk", filter=Q(confidence__isnull=False)),
    )


def _is_tied(case: Case, epoch: Epoch) -> bool:
    """Whether the epoch's margins show a near tie, where the suite's margins may speak."""
    if not epoch.margins or not margin_check(case.repository_id).passes:
        return False
    noise = suite_history(case.repository_id).margin_noise
    margins = Margins(
        np.array([epoch.margins]), np.array([epoch.margin_sum]), np.array([epoch.margin_squares])
    )
    return noise > 0 and bool(is_near_tie(margins, noise)[0])
