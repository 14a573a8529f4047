"""The number of failures of a run against its distribution: are these many flakes, or one cause?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from budgets.checks import FloatArray, as_rate

# Above this many cases the exact distribution costs more than the normal one errs.
MOST_EXACT_CASES = 2_000
# A tilt beyond this says no more than "everything fails".
HIGHEST_TILT = 1_000.0
BISECTION_STEPS = 40


@dataclass(frozen=True, slots=True)
class FailureCount:
    """Failures of a run: expected, observed, and how unlikely so many are.

    ``p_value`` is the chance of at least ``observed``; ``high`` the 95 % quantile.
    """

    expected: float
    observed: int
    p_value: float
    high: int


def failure_count(
    rates: npt.ArrayLike, observed: int, clusters: npt.ArrayLike | None = None
) -> FailureCount:
    """Hold a number of failures against the Poisson-binomial distribution of the run.

    Parameters
    ----------
    rates : array_like of float in [0, 1], shape (n_cases,)
        Chance of each case to fail in the run.
    observed : int
        Failures, those of one cluster counted once.
    clusters : array_like of int, shape (n_cases,), optional
        Number of the LLM call that feeds each case. Cases of one call fail together, so a
        cluster fails at most once; by default each case makes calls of its own.

    Returns
    -------
    FailureCount
        For no cases at all: expected 0, p-value 1 without failures.

    Raises
    ------
    ValueError
        If a rate lies outside [0, 1].

    Notes
    -----
    With posterior mean rates of independent cases the distribution is the exact predictive one.
    The quantile is read off the cumulated probabilities.

    References
    ----------
    .. [1] Y. Hong, "On computing the distribution function for the Poisson binomial
       distribution", Computational Statistics & Data Analysis 59, 2013.

    Examples
    --------
    >>> count = failure_count([0.024] * 200, observed=12)
    >>> round(count.expected, 1), count.high, round(count.p_value, 4)
    (4.8, 9, 0.0035)
    """
    chances = _chances_of_clusters(rates, clusters)
    if not chances.size:
        return FailureCount(0.0, observed, 1.0 if observed <= 0 else 0.0, 0)
    tail = _tail(chances, observed)
    return FailureCount(float(chances.sum()), observed, tail, _quantile(chances, 0.95))


def burst_tilt(
    rates: npt.ArrayLike,
    observed: int,
    clusters: npt.ArrayLike | None = None,
    quantile: float = 0.95,
) -> float:
    """Return how much likelier failures are in a run than usual, as a factor of the odds.

    In a bad hour of the provider every case fails more often. Holding each failure against the
    quiet-hour rate would blame the cases for it.

    Parameters
    ----------
    rates, observed, clusters
        As for `failure_count`.
    quantile : float in (0, 1)
        Up to this quantile of the number of failures nothing is unusual.

    Returns
    -------
    float >= 1
        The factor theta for which the tilted chances expect as many failures as were seen; 1
        when they are no more than usual.

    Examples
    --------
    >>> burst_tilt([0.024] * 200, observed=9)
    1.0
    >>> round(burst_tilt([0.024] * 200, observed=20), 2)
    4.52
    """
    chances = _chances_of_clusters(rates, clusters)
    if not chances.size or observed <= _quantile(chances, quantile):
        return 1.0
    low, high = 1.0, HIGHEST_TILT
    for _ in range(BISECTION_STEPS):
        middle = float(np.sqrt(low * high))
        expected = float((middle * chances / (1 - chances + middle * chances)).sum())
        low, high = (middle, high) if expected < observed else (low, middle)
    return low


def _chances_of_clusters(rates: npt.ArrayLike, clusters: npt.ArrayLike | None) -> FloatArray:
    """Return the chance of each cluster to fail.

    A cluster fails when any of its cases does. Failing together, they do so less often than
    independent cases would and at least as often as the likeliest of them: the geometric middle
    of the two bounds stands in for a dependence that nobody has measured.
    """
    chances = as_rate(rates)
    if clusters is None or not chances.size:
        return chances
    numbers, inverse = np.unique(np.asarray(clusters), return_inverse=True)
    if len(numbers) == len(chances):
        return chances
    with np.errstate(divide="ignore"):
        survival = np.bincount(inverse, weights=np.log1p(-np.minimum(chances, 1 - 1e-12)))
    independent = -np.expm1(survival)
    likeliest = np.zeros(len(numbers))
    np.maximum.at(likeliest, inverse, chances)
    return np.sqrt(likeliest * independent)


def _tail(chances: FloatArray, observed: int) -> float:
    if observed <= 0:
        return 1.0
    if chances.size > MOST_EXACT_CASES:
        return float(_normal(chances).sf(observed - 0.5))
    return float(np.clip(_pmf(chances)[observed:].sum(), 0.0, 1.0))


def _quantile(chances: FloatArray, quantile: float) -> int:
    if chances.size > MOST_EXACT_CASES:
        return int(np.ceil(_normal(chances).ppf(quantile) - 0.5))
    return int(np.searchsorted(np.cumsum(_pmf(chances)), quantile))


def _pmf(chances: FloatArray) -> FloatArray:
    return np.asarray(stats.poisson_binom(chances).pmf(np.arange(chances.size + 1)))


def _normal(chances: FloatArray) -> Any:
    spread = float(np.sqrt((chances * (1 - chances)).sum()))
    return stats.norm(loc=float(chances.sum()), scale=max(spread, 1e-12))
