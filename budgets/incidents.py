"""Say whether a provider's failures come in a burst that its past does not explain."""

import numpy as np
import numpy.typing as npt
from scipy import stats

from budgets.checks import FloatArray

# Jeffreys' prior of a Poisson rate: a past without a failure is no proof of none.
PRIOR_SHAPE = 0.5


def burst_p_value(recent: npt.ArrayLike, past: npt.ArrayLike, windows: float) -> FloatArray:
    """Return how likely so many failing runs are in one window, given the windows before it.

    Parameters
    ----------
    recent : array_like of int >= 0, shape (...)
        Failing runs in the window in question. Runs, not failures: one bad minute fails many
        cases of a run at once.
    past : array_like of int >= 0, shape (...)
        Failing runs in the windows before it.
    windows : float > 0
        How many windows that were.

    Returns
    -------
    ndarray of shape (...)
        Probability of at least ``recent`` in one more window at the same rate.

    Raises
    ------
    ValueError
        If a count is negative or there were no windows.

    Notes
    -----
    The posterior of the rate is a gamma distribution with shape ``past + 1/2`` and rate
    ``windows``; the predictive count of one more window is negative binomial.

    References
    ----------
    .. [1] A. Gelman et al., "Bayesian Data Analysis", 3rd edition, 2013, section 2.6.

    Examples
    --------
    >>> float(burst_p_value(2, 0, 168)) < 1e-4 < float(burst_p_value(2, 7, 168))
    True
    """
    seen, before = np.asarray(recent, dtype=float), np.asarray(past, dtype=float)
    if np.any(seen < 0) or np.any(before < 0):
        raise ValueError(f"counts must not be negative, got {min(seen.min(), before.min()):g}")
    if not windows > 0:
        raise ValueError(f"windows must be positive, got {windows:g}")
    shape = before + PRIOR_SHAPE
    return np.asarray(stats.nbinom.sf(seen - 1, shape, windows / (windows + 1)))
