"""Say what a budget's window holds, whether that is too much, and when it will be."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from budgets.allowances import allowance
from budgets.checks import BoolArray, FloatArray, IntArray, as_counts, as_rate
from budgets.terms import Window

# The allowance at 95 % is passed by chance in every twentieth window: it is shown, and no gate.
SPENT_CONFIDENCE = 0.99
# One divergence never spends a budget: with few calls its quantiles are still zero.
LEAST_LIMIT = 1
# The pace of the last week tells what comes next; a window's own average cannot tell a rise.
PACE_DAYS = 7
# Further ahead than this the pace of one week says nothing.
HORIZON_DAYS = 30


@dataclass(frozen=True, slots=True)
class DailyUse:
    """Charges and calls of budgets by day; arrays (n_budgets, n_days), the last day last.

    Raises
    ------
    ValueError
        If the shapes differ or a number is negative.
    """

    charges: FloatArray
    calls: FloatArray

    def __post_init__(self) -> None:
        if self.charges.shape != self.calls.shape:
            raise ValueError(
                f"charges and calls must cover the same days, got {self.charges.shape} and "
                f"{self.calls.shape}"
            )
        as_counts(self.charges, np.maximum(self.charges, self.calls))

    @property
    def age(self) -> FloatArray:
        """Days since each day, shape (n_days,): 0 for the last one."""
        return np.arange(self.calls.shape[1], dtype=float)[::-1]

    @property
    def later_calls(self) -> FloatArray:
        """Calls made on the days after each day, shape (n_budgets, n_days)."""
        until = np.cumsum(self.calls[:, ::-1], axis=1)[:, ::-1]
        return np.asarray(until - self.calls)


def held(use: DailyUse, windows: Sequence[Window], ahead: int = 0) -> BoolArray:
    """Return which days the windows hold.

    A window of calls holds whole days: the fewest last ones with at least so many calls, so that
    charges and calls are always counted over the same stretch.

    Parameters
    ----------
    use : DailyUse
        Charges and calls by day.
    windows : sequence of Window, length n_budgets
        The window of each budget.
    ahead : int >= 0
        So many days after the last one, if calls go on at the pace of the last week.

    Returns
    -------
    ndarray of bool, shape (n_budgets, n_days)
        Whether a day counts.

    Examples
    --------
    >>> use = DailyUse(np.zeros((2, 4)), np.full((2, 4), 10.0))
    >>> held(use, [Window(days=2), Window(calls=25)]).tolist()
    [[False, False, True, True], [False, True, True, True]]
    """
    days = np.array([np.inf if each.days is None else each.days for each in windows])
    calls = np.array([np.inf if each.calls is None else each.calls for each in windows])
    made = use.later_calls + ahead * _pace(use.calls)[:, None]
    return np.asarray((use.age + ahead < days[:, None]) & (made < calls[:, None]))


def limits(
    calls: npt.ArrayLike, rate: npt.ArrayLike, confidence: float = SPENT_CONFIDENCE
) -> IntArray:
    """Return the most charges that windows may hold before their budgets count as spent.

    Parameters
    ----------
    calls : array_like of int, shape (...)
        Calls in the window.
    rate : array_like of float in [0, 1], shape (...)
        Accepted divergences per call.
    confidence : float in (0, 1)
        Share of windows that an unchanged case does not spend. Of many cases watched at once some
        will by chance: the confidence must then be the higher for their number.

    Returns
    -------
    ndarray of int, shape (...)
        The allowance, and never less than one charge.

    Raises
    ------
    ValueError
        If calls, the rate or the confidence are not legal.

    Examples
    --------
    >>> int(limits(500, 0.024)), int(limits(1, 0.005))
    (21, 1)
    """
    return np.maximum(allowance(rate, calls, confidence), LEAST_LIMIT)


def days_until_spent(
    use: DailyUse,
    windows: Sequence[Window],
    rate: npt.ArrayLike,
    confidence: float = SPENT_CONFIDENCE,
) -> FloatArray:
    """Return in how many days budgets will be spent if the last week's pace goes on.

    Parameters
    ----------
    use, windows
        As for `held`.
    rate : array_like of float in [0, 1], shape (n_budgets,)
        Accepted divergences per call.
    confidence : float in (0, 1)
        As for `limits`.

    Returns
    -------
    ndarray of shape (n_budgets,)
        Days; 0 where it is spent already, infinite where that is more than 30 days away.

    Raises
    ------
    ValueError
        If the rate or the confidence are not legal.

    Notes
    -----
    For each day ahead: charges that the window still holds, plus charges at the pace of the last
    week, against the limit of the calls counted in the same way.

    Examples
    --------
    >>> calm, rising = [0.0] * 30, [0.0] * 27 + [2.0, 2.0, 2.0]
    >>> use = DailyUse(np.array([calm, rising]), np.full((2, 30), 20.0))
    >>> days_until_spent(use, [Window(days=30)] * 2, [0.01, 0.01]).tolist()
    [inf, 8.0]
    """
    rates = as_rate(rate)
    paces = _pace(use.charges), _pace(use.calls)
    left = np.full(len(windows), np.inf)
    for day in range(HORIZON_DAYS, -1, -1):
        counted = held(use, windows, day)
        charges = np.where(counted, use.charges, 0).sum(axis=1) + day * paces[0]
        calls = np.where(counted, use.calls, 0).sum(axis=1) + day * paces[1]
        left[charges > limits(np.floor(calls), rates, confidence)] = day
    return left


def days_until_expiry(use: DailyUse, windows: Sequence[Window]) -> FloatArray:
    """Return in how many days each window's oldest charge will leave it.

    Parameters
    ----------
    use, windows
        As for `held`.

    Returns
    -------
    ndarray of shape (n_budgets,)
        Days at the last week's pace of calls; infinite where no charge is held or none will leave.

    Examples
    --------
    >>> use = DailyUse(np.array([[0.0, 1.0, 0.0]]), np.full((1, 3), 10.0))
    >>> days_until_expiry(use, [Window(days=30)]).tolist()
    [29.0]
    """
    charged = held(use, windows) & (use.charges > 0)
    oldest = np.argmax(charged, axis=1)
    rows = np.arange(len(windows))
    days = np.array([np.inf if each.days is None else each.days for each in windows])
    calls = np.array([np.inf if each.calls is None else each.calls for each in windows])
    with np.errstate(divide="ignore", invalid="ignore"):
        by_calls = np.ceil((calls - use.later_calls[rows, oldest]) / _pace(use.calls))
    left = np.where(np.isfinite(days), days - use.age[oldest], by_calls)
    return np.where(charged.any(axis=1), left, np.inf)


def _pace(daily: FloatArray) -> FloatArray:
    """Return the mean per day over the last week, or over what there is of it."""
    return np.asarray(daily[:, -PACE_DAYS:].mean(axis=1))
