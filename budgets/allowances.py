"""The accepted rate of a case, and how many divergences it allows in a number of calls."""

import numpy as np
import numpy.typing as npt
from scipy import stats

from budgets.checks import FloatArray, IntArray, as_rate, check_confidence
from budgets.priors import BetaPrior, posterior_mean

# A case that never flaked must be allowed a first flake, and no case may buy itself a rate that
# hides a broken assertion.
LOWEST_RATE = 0.005
HIGHEST_RATE = 0.10


def accepted_rate(divergent: npt.ArrayLike, calls: npt.ArrayLike, prior: BetaPrior) -> FloatArray:
    """Return the rate per call that a case is granted from then on.

    Parameters
    ----------
    divergent, calls : array_like of int, shape (...)
        Counts of the case at acceptance.
    prior : BetaPrior
        The suite's prior.

    Returns
    -------
    ndarray of shape (...)
        The posterior mean, kept within 0.5 % and 10 %.

    Raises
    ------
    ValueError
        If counts are not legal.

    Examples
    --------
    >>> float(accepted_rate(0, 200, BetaPrior(0.1, 1.9)))
    0.005
    """
    return np.clip(posterior_mean(divergent, calls, prior), LOWEST_RATE, HIGHEST_RATE)


def allowance(rate: npt.ArrayLike, calls: npt.ArrayLike, confidence: float = 0.95) -> IntArray:
    """Return the most divergences that a rate explains in a number of calls.

    The expectation itself is passed in half of all windows by chance; this is what is passed in
    ``1 - confidence`` of them at most.

    Parameters
    ----------
    rate : array_like of float in [0, 1], shape (...)
        Accepted divergences per call.
    calls : array_like of int, shape (...)
        Calls in the window.
    confidence : float in (0, 1)
        Share of windows in which an unchanged case stays within.

    Returns
    -------
    ndarray of int, shape (...)
        Number of divergences; 0 without calls.

    Raises
    ------
    ValueError
        If the rate, the calls or the confidence are not legal.

    Examples
    --------
    >>> int(allowance(0.024, 500)), int(allowance(0.024, 500, 0.99))
    (18, 21)
    """
    p, n = as_rate(rate), np.asarray(calls, dtype=float)
    check_confidence(confidence)
    if np.any(n < 0):
        raise ValueError(f"calls must not be negative, got {n.min():g}")
    return np.maximum(stats.binom.ppf(confidence, n, p), 0).astype(np.int64)


def calls_until_spent(
    rate: npt.ArrayLike, spent: npt.ArrayLike, allowed: npt.ArrayLike
) -> FloatArray:
    """Return after how many more calls a budget will be spent if the case goes on as it does.

    Parameters
    ----------
    rate : array_like of float in [0, 1], shape (...)
        Present divergences per call.
    spent, allowed : array_like of int, shape (...)
        Charges so far and the allowance of the window.

    Returns
    -------
    ndarray of shape (...)
        Calls; 0 where it is spent already, infinite where nothing diverges.

    Raises
    ------
    ValueError
        If the rate is outside [0, 1].

    Examples
    --------
    >>> float(calls_until_spent(0.05, 3, 5))
    60.0
    """
    p = as_rate(rate)
    left = np.asarray(allowed, dtype=float) + 1 - np.asarray(spent, dtype=float)
    with np.errstate(divide="ignore"):
        return np.where(left <= 0, 0.0, np.where(p > 0, left / p, np.inf))
