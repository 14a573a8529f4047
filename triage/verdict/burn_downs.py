"""How a repository's budget was used day by day, and where the pace of the last week leads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np

from budgets.allowances import HIGHEST_RATE, allowance
from budgets.checks import FloatArray
from budgets.terms import LONGEST_WINDOW_DAYS, REPOSITORY_TERMS
from budgets.windows import PACE_DAYS
from triage.history.windows import use_of_repository
from triage.verdict.standings import ALLOWANCE_CONFIDENCE

FORECAST_DAYS = 7


@dataclass(frozen=True, slots=True)
class BudgetDay:
    """What the window that ends on a day holds, and what its calls allow."""

    day: date
    spent: int
    allowance: int
    is_forecast: bool


def budget_days(repository_id: int, until: datetime) -> Sequence[BudgetDay]:
    """Return the days of the newest window and a week ahead, oldest first; two queries."""
    window = REPOSITORY_TERMS.window.days or LONGEST_WINDOW_DAYS
    use = use_of_repository(repository_id, 2 * window - 1, until)
    spent, calls = (_held(_continued(each[0]), window) for each in (use.charges, use.calls))
    rate = np.full(len(calls), REPOSITORY_TERMS.rate_per_call or HIGHEST_RATE)
    allowed = np.maximum(allowance(rate, np.round(calls), ALLOWANCE_CONFIDENCE), 1)
    first = until.date() - timedelta(days=window - 1)
    return [
        BudgetDay(first + timedelta(days=n), round(held), int(most), is_forecast=n >= window)
        for n, (held, most) in enumerate(zip(spent, allowed, strict=True))
    ]


def _continued(per_day: FloatArray) -> FloatArray:
    """Append days at the pace of the last week."""
    return np.append(per_day, np.full(FORECAST_DAYS, per_day[-PACE_DAYS:].mean()))


def _held(per_day: FloatArray, window: int) -> FloatArray:
    """Return the sum of each window that the days fill."""
    return np.convolve(per_day, np.ones(window), mode="valid")
