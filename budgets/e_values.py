"""Evidence that a case no longer behaves as its history says, in a currency that adds up.

An E-value has a mean of at most one while nothing changed, whatever the rule that decides when to
stop repeating. So the chance that it ever exceeds 1/alpha is at most alpha.
"""

import numpy as np
import numpy.typing as npt
from scipy import special

from budgets.checks import BoolArray, FloatArray, as_counts, as_rate
from budgets.priors import BetaPrior

# Failure rates of a broken case, and how much each is trusted: a regression mostly fails always,
# sometimes half of the time. Checked on items that were not used to choose them.
BROKEN_RATES = np.array([0.30, 0.45, 0.60, 0.75, 0.90, 0.98])
BROKEN_WEIGHTS = np.array([0.10, 0.10, 0.15, 0.15, 0.20, 0.30])

# A label distribution that moved: nearly always one new label (concentration .05), or a spread
# over several (.5), with a fifth of the mass left on the expected label.
MOVED_CONCENTRATIONS = np.array([0.05, 0.50])
MOVED_WEIGHTS = np.array([0.70, 0.30])
MOVED_EXPECTED_SHARE = 0.2

# The weakest regression that a second pass is to tell from a flake.
WEAKEST_REGRESSION = 0.60


def binary_log_e(
    failures: npt.ArrayLike,
    calls: npt.ArrayLike,
    history_divergent: npt.ArrayLike,
    history_calls: npt.ArrayLike,
    prior: BetaPrior,
    tilt: npt.ArrayLike = 1.0,
) -> FloatArray:
    """Return the log E-value that a case fails more often than its history explains.

    Parameters
    ----------
    failures, calls : array_like of int, shape (n_cases,)
        Failing calls out of all calls of this run, the first call included.
    history_divergent, history_calls : array_like of int, shape (n_cases,)
        The same before this run.
    prior : BetaPrior
        The suite's prior of the rate.
    tilt : array_like of float >= 1, shape () or (n_cases,)
        How much likelier failures are in this run than usual, as odds.

    Returns
    -------
    ndarray of shape (n_cases,)
        Natural logarithm; 0 is no evidence either way.

    Raises
    ------
    ValueError
        If counts are not legal.

    Notes
    -----
    ``E = sum_k w_k q_k^f (1-q_k)^(m-f) / [B(A+f, B+m-f) / B(A, B)]`` with ``A = tilt (a + x0)``
    and ``B = b + n0 - x0``. The null is "still the case's own rate", averaged over what is
    unknown of it.

    References
    ----------
    .. [1] P. Grünwald, R. de Heide, W. Koolen, "Safe testing", Journal of the Royal Statistical
       Society B 86(5), 2024.

    Examples
    --------
    >>> [round(float(e), 2) for e in binary_log_e([1, 4], [1, 4], 0, 20, BetaPrior(0.1, 1.9))]
    [5.11, 12.22]
    """
    f, m = as_counts(failures, calls)
    x0, n0 = as_counts(history_divergent, history_calls)
    a = (prior.a + x0) * np.asarray(tilt, dtype=float)
    b = prior.b + n0 - x0
    broken = special.logsumexp(
        f[..., None] * np.log(BROKEN_RATES) + (m - f)[..., None] * np.log1p(-BROKEN_RATES),
        b=BROKEN_WEIGHTS,
        axis=-1,
    )
    unchanged = special.betaln(a + f, b + m - f) - special.betaln(a, b)
    return np.asarray(broken - unchanged)


def label_log_e(
    observed_counts: npt.ArrayLike,
    history_counts: npt.ArrayLike,
    expected: npt.ArrayLike,
    prior: BetaPrior,
    tilt: npt.ArrayLike = 1.0,
) -> FloatArray:
    """Return the log E-value that a case's labels no longer follow its history.

    A flip to a label that the case has shown before is weak evidence, one to a label that it
    never showed is strong.

    Parameters
    ----------
    observed_counts : array_like of int, shape (n_cases, n_labels)
        Calls of this run per label, the first call included.
    history_counts : array_like of int, shape (n_cases, n_labels)
        Calls before this run per label.
    expected : array_like of int, shape (n_cases,)
        Column of the expected label.
    prior : BetaPrior
        The suite's prior of the flip rate: ``b`` on the expected label, ``a`` spread evenly over
        the others.
    tilt : array_like of float >= 1, shape () or (n_cases,)
        How much likelier flips are in this run than usual, as odds.

    Returns
    -------
    ndarray of shape (n_cases,)
        Natural logarithm; 0 is no evidence either way.

    Raises
    ------
    ValueError
        If there are fewer than two labels or a count is negative.

    Notes
    -----
    The ratio of two Dirichlet-multinomial probabilities: labels that moved, a mixture of two
    concentrations, against the history with its prior.

    References
    ----------
    .. [1] P. Grünwald, R. de Heide, W. Koolen, "Safe testing", Journal of the Royal Statistical
       Society B 86(5), 2024.

    Examples
    --------
    >>> observed, history = [[0, 1, 0], [0, 0, 1]], [[17, 3, 0], [17, 3, 0]]
    >>> known, new = label_log_e(observed, history, [0, 0], BetaPrior(0.1, 1.9))
    >>> bool(known < new)
    True
    """
    d, h = np.asarray(observed_counts, dtype=float), np.asarray(history_counts, dtype=float)
    at_expected = _columns(np.asarray(expected), d.shape)
    _check_labels(d, h)
    theta = np.where(at_expected, 1.0, np.broadcast_to(tilt, d.shape[:1])[:, None])
    others = prior.a / (d.shape[1] - 1)
    unchanged = theta * (np.where(at_expected, prior.b, others) + h)
    moved = [
        _dirichlet_multinomial(d, np.where(at_expected, MOVED_EXPECTED_SHARE * c, c))
        for c in MOVED_CONCENTRATIONS
    ]
    mixture = special.logsumexp(np.stack(moved, axis=-1), b=MOVED_WEIGHTS, axis=-1)
    return np.asarray(mixture - _dirichlet_multinomial(d, unchanged))


def clear_log_e(
    failures: npt.ArrayLike, repeats: npt.ArrayLike, posterior_rate: npt.ArrayLike
) -> FloatArray:
    """Return the log E-value that a case is not broken, from its repeats alone.

    Parameters
    ----------
    failures, repeats : array_like of int, shape (n_cases,)
        Failing repeats out of all repeats; the failure that asked for them is left out.
    posterior_rate : array_like of float in (0, 1), shape (n_cases,)
        The rate that the history leads one to expect.

    Returns
    -------
    ndarray of shape (n_cases,)
        Natural logarithm of the likelihood ratio against "fails 60 % of the time".

    Raises
    ------
    ValueError
        If counts are not legal or the rate lies outside (0, 1).

    Notes
    -----
    ``(q / p1)^f ((1 - q) / (1 - p1))^(m - f)`` with ``p1 = 0.6`` and ``q`` the smaller of the
    posterior rate and ``p1 / 2``: under ``p1`` its mean is one.

    References
    ----------
    .. [1] A. Wald, "Sequential Analysis", Wiley, 1947.

    Examples
    --------
    >>> bool(clear_log_e(0, 3, 0.024) > np.log(10)), bool(clear_log_e(0, 2, 0.024) > np.log(10))
    (True, False)
    """
    f, m = as_counts(failures, repeats)
    q = np.minimum(as_rate(posterior_rate, is_open=True), WEAKEST_REGRESSION / 2)
    failing = np.log(q) - np.log(WEAKEST_REGRESSION)
    passing = np.log1p(-q) - np.log1p(-WEAKEST_REGRESSION)
    return np.asarray(f * failing + (m - f) * passing)


def e_bh(
    log_e: npt.ArrayLike,
    family_size: npt.ArrayLike,
    alpha: float,
    run_ids: npt.ArrayLike | None = None,
) -> BoolArray:
    """Return which E-values stand out among many, at a false discovery rate.

    Parameters
    ----------
    log_e : array_like of float, shape (n_cases,)
        Final log E-values; running maxima would lose the guarantee.
    family_size : array_like of int >= 1, shape () or (n_cases,)
        Number of cases of the run that could have raised one, not only those given.
    alpha : float in (0, 1)
        False discovery rate within each run.
    run_ids : array_like of int, shape (n_cases,), optional
        The run of each case, each a family of its own; by default all belong to one.

    Returns
    -------
    ndarray of bool, shape (n_cases,)
        True for the k largest of a run with ``E_(k) >= family_size / (alpha k)``.

    Raises
    ------
    ValueError
        If ``alpha`` lies outside (0, 1) or a family has no case.

    Notes
    -----
    Holds under any dependence between the cases.

    References
    ----------
    .. [1] R. Wang, A. Ramdas, "False discovery rate control with e-values", Journal of the Royal
       Statistical Society B 84(3), 2022.

    Examples
    --------
    >>> e_bh(np.log([5000.0, 2500.0, 10.0]), 200, 0.05).tolist()
    [True, True, False]
    """
    evidence = np.asarray(log_e, dtype=float)
    family = np.broadcast_to(np.asarray(family_size, dtype=float), evidence.shape)
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie in (0, 1), got {alpha:g}")
    if np.any(family < 1):
        raise ValueError(f"a family must hold at least one case, got {family.min():g}")
    runs = np.zeros(len(evidence), dtype=int) if run_ids is None else np.asarray(run_ids)
    order = np.lexsort((-evidence, runs))
    _, run_of, sizes = np.unique(runs, return_inverse=True, return_counts=True)
    rank = np.empty(len(evidence))
    rank[order] = np.arange(1, len(order) + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    passing = evidence >= np.log(family / (alpha * rank))
    last = np.zeros(len(sizes))
    np.maximum.at(last, run_of[passing], rank[passing])
    return np.asarray(rank <= last[run_of])


def _columns(expected: npt.NDArray[np.int64], shape: tuple[int, ...]) -> BoolArray:
    return np.asarray(np.arange(shape[1])[None, :] == expected[:, None])


def _check_labels(observed: FloatArray, history: FloatArray) -> None:
    if observed.shape != history.shape or observed.ndim != 2 or observed.shape[1] < 2:
        raise ValueError(
            "label counts must be two arrays of one shape (n_cases, n_labels) with at least two "
            f"labels, got {observed.shape} and {history.shape}"
        )
    if np.any(observed < 0) or np.any(history < 0):
        raise ValueError("label counts must not be negative")


def _dirichlet_multinomial(counts: FloatArray, alpha: FloatArray) -> FloatArray:
    """Return the log probability of label counts in a fixed order, pseudo-counts ``alpha``."""
    total, together = alpha.sum(axis=-1), (alpha + counts).sum(axis=-1)
    each = special.gammaln(alpha + counts) - special.gammaln(alpha)
    return np.asarray(special.gammaln(total) - special.gammaln(together) + each.sum(axis=-1))
