"""Say which charges a window still holds, and whether they are more than its budget explains."""

import numpy as np
import numpy.typing as npt

from budgets.allowances import allowance
from budgets.checks import BoolArray, FloatArray, as_counts

# The allowance at 95 % is passed by chance in every twentieth window: it is shown, and no gate.
SPENT_CONFIDENCE = 0.99
# One divergence never spends a budget: with few calls its quantiles are still zero.
LEAST_LIMIT = 1


def is_spent(
    charges: npt.ArrayLike,
    calls: npt.ArrayLike,
    rate: npt.ArrayLike,
    confidence: float = SPENT_CONFIDENCE,
) -> BoolArray:
    """Return whether a window holds more charges than its rate explains.

    Parameters
    ----------
    charges : array_like of int, shape (...)
        Charges less reversals in the window.
    calls : array_like of int, shape (...)
        Calls in the window.
    rate : array_like of float in [0, 1], shape (...)
        Accepted divergences per call.
    confidence : float in (0, 1)
        Share of windows that an unchanged case does not spend. Of many cases watched at once some
        will by chance: the confidence must then be the higher for their number.

    Returns
    -------
    ndarray of bool, shape (...)
        Whether the charges exceed the allowance; never for a single one.

    Raises
    ------
    ValueError
        If counts, the rate or the confidence are not legal.

    Examples
    --------
    >>> is_spent([21, 22], 500, 0.024).tolist()
    [False, True]
    """
    as_counts(charges, np.maximum(charges, calls))
    limit = np.maximum(allowance(rate, calls, confidence), LEAST_LIMIT)
    return np.asarray(np.asarray(charges) > limit)


def within_days(age_days: npt.ArrayLike, window_days: float) -> BoolArray:
    """Return which charges a window of days still holds.

    Parameters
    ----------
    age_days : array_like of float >= 0, shape (...)
        Days since each charge.
    window_days : float > 0
        Length of the window.

    Returns
    -------
    ndarray of bool, shape (...)
        Whether the charge counts; at the window's full age it no longer does.

    Raises
    ------
    ValueError
        If an age is negative or the window has no length.

    Examples
    --------
    >>> within_days([0, 29.9, 30], 30).tolist()
    [True, True, False]
    """
    return _within(age_days, window_days, "days")


def within_calls(later_calls: npt.ArrayLike, window_calls: int) -> BoolArray:
    """Return which charges a window of calls still holds.

    A nightly suite and one that runs on each commit age at their own pace.

    Parameters
    ----------
    later_calls : array_like of int >= 0, shape (...)
        Calls made after the call of each charge.
    window_calls : int > 0
        Length of the window.

    Returns
    -------
    ndarray of bool, shape (...)
        Whether the charge is among the window's last calls.

    Raises
    ------
    ValueError
        If a number of calls is negative or the window has no length.

    Examples
    --------
    >>> within_calls([0, 499, 500], 500).tolist()
    [True, True, False]
    """
    return _within(later_calls, window_calls, "calls")


def calls_until_expiry(later_calls: npt.ArrayLike, window_calls: int) -> FloatArray:
    """Return after how many more calls each charge leaves a window of calls.

    Parameters
    ----------
    later_calls, window_calls
        As for `within_calls`.

    Returns
    -------
    ndarray of shape (...)
        Calls; 0 for charges that have left it.

    Raises
    ------
    ValueError
        If a number of calls is negative or the window has no length.

    Examples
    --------
    >>> calls_until_expiry([0, 499, 500], 500).tolist()
    [500.0, 1.0, 0.0]
    """
    counted = within_calls(later_calls, window_calls)
    return np.where(counted, window_calls - np.asarray(later_calls, dtype=float), 0.0)


def _within(age: npt.ArrayLike, window: float, unit: str) -> BoolArray:
    ages = np.asarray(age, dtype=float)
    if not window > 0:
        raise ValueError(f"a window must be longer than 0 {unit}, got {window:g}")
    if np.any(ages < 0):
        raise ValueError(f"a charge cannot be younger than 0 {unit}, got {ages.min():g}")
    return np.asarray(ages < window)
