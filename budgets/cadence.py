"""How often a rate turns a build red, and how many calls it takes to see it."""

import numpy as np
import numpy.typing as npt
from scipy import stats

from budgets.checks import FloatArray, as_counts, as_rate, check_confidence


def chance_of_red(rate: npt.ArrayLike, calls: npt.ArrayLike) -> FloatArray:
    """Return the chance of at least one divergence in a number of calls.

    Parameters
    ----------
    rate : array_like of float in [0, 1], shape (...)
        Divergences per call; calls taken as independent.
    calls : array_like of float >= 0, shape (...)
        Number of calls; an average over runs need not be whole.

    Returns
    -------
    ndarray of shape (...)
        ``1 - (1 - rate)**calls``, without loss for small rates.

    Raises
    ------
    ValueError
        If the rate is outside [0, 1] or the number of calls is negative.

    Examples
    --------
    >>> round(float(chance_of_red(0.024, 100)), 6)
    0.911899
    """
    p, k = as_rate(rate), np.asarray(calls, dtype=float)
    if np.any(k < 0):
        raise ValueError(f"calls must not be negative, got {k.min():g}")
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = -np.expm1(k * np.log1p(-p))
    return np.where(k == 0, 0.0, chance)


def calls_to_see(rate: npt.ArrayLike, confidence: float = 0.95) -> FloatArray:
    """Return how many calls show at least one divergence with this confidence.

    Parameters
    ----------
    rate : array_like of float in (0, 1), shape (...)
        Divergences per call.
    confidence : float in (0, 1)
        Chance of seeing one.

    Returns
    -------
    ndarray of shape (...)
        Number of calls, not rounded.

    Raises
    ------
    ValueError
        If the rate or the confidence lies outside (0, 1).

    Examples
    --------
    >>> round(float(calls_to_see(0.024)), 2)
    123.32
    """
    check_confidence(confidence)
    return np.asarray(np.log1p(-confidence) / np.log1p(-as_rate(rate, is_open=True)))


def calls_per_divergence(divergent: npt.ArrayLike, calls: npt.ArrayLike) -> FloatArray:
    """Return the calls per divergence: 12 of 500 is one in 41.7. Infinite if nothing diverged.

    Parameters
    ----------
    divergent, calls : array_like of int, shape (...)
        Counts per case.

    Returns
    -------
    ndarray of shape (...)
        Calls per divergence.

    Raises
    ------
    ValueError
        If counts are not legal.

    Examples
    --------
    >>> round(float(calls_per_divergence(12, 500)), 2)
    41.67
    """
    x, n = as_counts(divergent, calls)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(x > 0, n / x, np.inf)


def exceedance(divergent: npt.ArrayLike, calls: npt.ArrayLike, rate: npt.ArrayLike) -> FloatArray:
    """Return the chance of at least this many divergences at a given rate.

    A small value means that the rate does not explain what was seen.

    Parameters
    ----------
    divergent, calls : array_like of int, shape (...)
        Counts per case; calls taken as independent.
    rate : array_like of float in [0, 1], shape (...)
        Divergences per call.

    Returns
    -------
    ndarray of shape (...)
        ``P(X >= divergent)`` for ``X ~ Binomial(calls, rate)``; 1 when nothing diverged.

    Raises
    ------
    ValueError
        If counts or the rate are not legal.

    Examples
    --------
    >>> round(float(exceedance(12, 500, 0.01)), 4)
    0.0052
    """
    x, n = as_counts(divergent, calls)
    return np.asarray(stats.binom.sf(x - 1, n, as_rate(rate)))
