"""Compare the levels of a covariate within each case, so that no case is compared with another."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from budgets.checks import as_counts


@dataclass(frozen=True, slots=True)
class StratifiedTest:
    """A Cochran-Mantel-Haenszel statistic, its degrees of freedom and p-value."""

    statistic: float
    degrees: int
    p_value: float


def stratified_test(divergent: npt.ArrayLike, calls: npt.ArrayLike) -> StratifiedTest:
    """Return the Cochran-Mantel-Haenszel test of a covariate, stratified by case.

    Each case is compared with itself only, so that a level which happens to hold the flaky cases
    is not blamed for them.

    Parameters
    ----------
    divergent, calls : array_like of int, shape (n_cases, n_levels)
        Counts per case and level of the covariate.

    Returns
    -------
    StratifiedTest
        For L levels with calls at most L - 1 degrees of freedom; statistic 0 and p-value 1 where
        no case was seen on two levels.

    Raises
    ------
    ValueError
        If counts are not legal.

    Notes
    -----
    With ``r = n_t / N_t``: ``T_l = sum_t (x_tl - X_t r_l)``, ``V = sum_t X_t (N_t - X_t) /
    (N_t - 1) (diag(r) - r r')``, and ``Q = T' V^- T`` is chi-squared with the rank of V.

    References
    ----------
    .. [1] N. Mantel, W. Haenszel, "Statistical aspects of the analysis of data from retrospective
       studies of disease", Journal of the National Cancer Institute 22(4), 1959.
    .. [2] A. Agresti, "Categorical Data Analysis", 3rd ed., Wiley, 2013, section 8.4.

    Examples
    --------
    >>> round(stratified_test([[2, 8]], [[50, 50]]).p_value, 3)
    0.047
    """
    x, n = as_counts(divergent, calls)
    in_case, of_case = x.sum(axis=1), n.sum(axis=1)
    share = n / np.maximum(of_case, 1.0)[:, None]
    surplus = (x - in_case[:, None] * share).sum(axis=0)
    spread = in_case * (of_case - in_case) / np.maximum(of_case - 1, 1.0)
    covariance = np.diag(spread @ share) - (share * spread[:, None]).T @ share
    degrees = int(np.linalg.matrix_rank(covariance, hermitian=True)) if covariance.size else 0
    if degrees == 0:
        return StratifiedTest(0.0, 0, 1.0)
    statistic = float(surplus @ np.linalg.pinv(covariance, hermitian=True) @ surplus)
    return StratifiedTest(statistic, degrees, float(stats.chi2.sf(statistic, degrees)))
