"""Intervals of a rate: what n calls can and cannot say."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from budgets.checks import FloatArray, as_counts, check_confidence
from budgets.priors import BetaPrior


@dataclass(frozen=True, slots=True)
class Interval:
    """Lower and upper end of a rate per call.

    Parameters
    ----------
    low, high : ndarray of shape (...)
        Ends in [0, 1] of one shape, a case each; without an axis for one case.
    """

    low: FloatArray
    high: FloatArray


def wilson(divergent: npt.ArrayLike, calls: npt.ArrayLike, confidence: float = 0.95) -> Interval:
    """Return Wilson's score interval: the plain reading of "12 of 500".

    Parameters
    ----------
    divergent, calls : array_like of int, shape (...)
        Counts per case; calls taken as independent.
    confidence : float in (0, 1)
        Share of such intervals that hold the true rate.

    Returns
    -------
    Interval of arrays of shape (...)
        Ends in [0, 1]; the whole of it without calls.

    Raises
    ------
    ValueError
        If counts or confidence are not legal.

    References
    ----------
    .. [1] L. Brown, T. Cai, A. DasGupta, "Interval estimation for a binomial proportion",
       Statistical Science 16(2), 2001.

    Examples
    --------
    >>> interval = wilson(12, 500)
    >>> round(float(interval.low), 5), round(float(interval.high), 5)
    (0.01378, 0.04148)
    """
    x, n = as_counts(divergent, calls)
    check_confidence(confidence)
    z = stats.norm.ppf(0.5 + confidence / 2)
    centre = (x + z * z / 2) / (n + z * z)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.where(n > 0, x * (n - x) / np.maximum(n, 1), 0.0)
    half = z / (n + z * z) * np.sqrt(spread + z * z / 4)
    low = np.where(x == 0, 0.0, np.clip(centre - half, 0, 1))
    high = np.where(x == n, 1.0, np.clip(centre + half, 0, 1))
    return Interval(low, high)


def jeffreys(divergent: npt.ArrayLike, calls: npt.ArrayLike, confidence: float = 0.95) -> Interval:
    """Return Jeffreys' interval: Beta(1/2, 1/2) with its ends opened at 0 and n.

    Parameters
    ----------
    divergent, calls : array_like of int, shape (...)
        Counts per case; calls taken as independent.
    confidence : float in (0, 1)
        Share of such intervals that hold the true rate, on average over rates.

    Returns
    -------
    Interval of arrays of shape (...)
        Ends in [0, 1]; 0 where nothing diverged, 1 where everything did.

    Raises
    ------
    ValueError
        If counts or confidence are not legal.

    References
    ----------
    .. [1] L. Brown, T. Cai, A. DasGupta, "Interval estimation for a binomial proportion",
       Statistical Science 16(2), 2001.

    Examples
    --------
    >>> interval = jeffreys(12, 500)
    >>> round(float(interval.low), 4), round(float(interval.high), 4)
    (0.0132, 0.0403)
    """
    interval = credible(divergent, calls, BetaPrior(0.5, 0.5), confidence)
    x, n = as_counts(divergent, calls)
    return Interval(np.where(x == 0, 0.0, interval.low), np.where(x == n, 1.0, interval.high))


def clopper_pearson(
    divergent: npt.ArrayLike, calls: npt.ArrayLike, confidence: float = 0.95
) -> Interval:
    """Return the exact interval, which covers at least the confidence and usually more.

    Parameters
    ----------
    divergent, calls : array_like of int, shape (...)
        Counts per case; calls taken as independent.
    confidence : float in (0, 1)
        Least share of such intervals that hold the true rate, whatever it is.

    Returns
    -------
    Interval of arrays of shape (...)
        Ends in [0, 1]; 0 where nothing diverged, 1 where everything did.

    Raises
    ------
    ValueError
        If counts or confidence are not legal.

    References
    ----------
    .. [1] C. Clopper, E. Pearson, "The use of confidence or fiducial limits illustrated in the
       case of the binomial", Biometrika 26(4), 1934.

    Examples
    --------
    >>> interval = clopper_pearson(12, 500)
    >>> round(float(interval.low), 4), round(float(interval.high), 4)
    (0.0125, 0.0415)
    """
    x, n = as_counts(divergent, calls)
    check_confidence(confidence)
    tail = (1 - confidence) / 2
    low = special.betaincinv(np.maximum(x, 1e-9), n - x + 1, tail)
    high = special.betaincinv(x + 1, np.maximum(n - x, 1e-9), 1 - tail)
    return Interval(np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high))


def credible(
    divergent: npt.ArrayLike,
    calls: npt.ArrayLike,
    prior: BetaPrior,
    confidence: float = 0.95,
) -> Interval:
    """Return the empirical-Bayes interval: the case's own calls, steadied by its suite.

    The only interval that keeps its coverage for the cases that people look at, those that
    have failed.

    Parameters
    ----------
    divergent, calls : array_like of int, shape (...)
        Counts per case.
    prior : BetaPrior
        The suite's prior.
    confidence : float in (0, 1)
        Posterior probability that the interval holds the rate.

    Returns
    -------
    Interval of arrays of shape (...)
        Equal-tailed ends in [0, 1].

    Raises
    ------
    ValueError
        If counts or confidence are not legal.

    References
    ----------
    .. [1] B. Efron, "Large-Scale Inference", Cambridge University Press, 2010.

    Examples
    --------
    >>> interval = credible(0, 20, BetaPrior(0.1, 1.9))
    >>> float(interval.low) < 0.001 < float(interval.high) < 0.05
    True
    """
    x, n = as_counts(divergent, calls)
    check_confidence(confidence)
    tail = (1 - confidence) / 2
    a, b = prior.a + x, prior.b + n - x
    return Interval(
        np.asarray(special.betaincinv(a, b, tail)), np.asarray(special.betaincinv(a, b, 1 - tail))
    )
