"""Charges and calls by day: what the windows of budgets are cut from."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

import numpy as np
from django.db.models import Sum

from budgets.checks import FloatArray
from budgets.ledger import charges_by_epoch, charges_of_repository
from budgets.terms import LONGEST_WINDOW_DAYS, Window
from budgets.windows import DailyUse
from triage.models import EpochDay


def days_needed(windows: Sequence[Window]) -> int:
    """Return how many days must be read so that every window is covered."""
    return max((each.days or LONGEST_WINDOW_DAYS for each in windows), default=1)


def use_of_epochs(groups: Sequence[Sequence[int]], days: int, until: datetime) -> DailyUse:
    """Return the daily use of budgets, each shared by a group of epochs; two queries."""
    since = _first_day(days, until)
    epoch_ids = sorted({epoch_id for group in groups for epoch_id in group})
    calls = _calls_by_epoch(epoch_ids, since, until)
    charges = charges_by_epoch(epoch_ids, since, until)
    return DailyUse(
        charges=_by_group(groups, charges, since, days),
        calls=_by_group(groups, calls, since, days),
    )


def use_of_repository(repository_id: int, days: int, until: datetime) -> DailyUse:
    """Return the daily use of the one budget of all LLM cases; two queries."""
    since = _first_day(days, until)
    calls = EpochDay.objects.filter(
        repository_id=repository_id, day__gte=since, day__lte=until.date()
    )
    per_day = dict(calls.values_list("day").annotate(total=Sum("calls")))
    charges = charges_of_repository(repository_id, since, until)
    return DailyUse(
        charges=_row(charges, since, days)[None, :], calls=_row(per_day, since, days)[None, :]
    )


def _first_day(days: int, until: datetime) -> date:
    return until.date() - timedelta(days=days - 1)


def _calls_by_epoch(
    epoch_ids: Sequence[int], since: date, until: datetime
) -> dict[tuple[int, date], int]:
    rows = EpochDay.objects.filter(
        epoch_id__in=epoch_ids, day__gte=since, day__lte=until.date()
    ).values_list("epoch_id", "day", "calls")
    return {(epoch_id, day): calls for epoch_id, day, calls in rows}


def _by_group(
    groups: Sequence[Sequence[int]],
    counts: Mapping[tuple[int, date], int],
    since: date,
    days: int,
) -> FloatArray:
    positions: dict[int, list[int]] = {}
    for position, group in enumerate(groups):
        for epoch_id in group:
            positions.setdefault(epoch_id, []).append(position)
    table = np.zeros((len(groups), days))
    for (epoch_id, day), count in counts.items():
        table[positions[epoch_id], (day - since).days] += count
    return table


def _row(counts: Mapping[date, int], since: date, days: int) -> FloatArray:
    row = np.zeros(days)
    for day, count in counts.items():
        row[(day - since).days] = count
    return row
