"""Decide a failing case from its repeats: moved, cleared, to be repeated, or for a person."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from budgets.checks import BoolArray, FloatArray, IntArray, as_counts
from budgets.e_values import binary_log_e, clear_log_e, e_bh, label_log_e
from budgets.priors import BetaPrior, posterior_mean

# Chance per run, over all its cases, that an unchanged case is blocked.
ALPHA = 0.05
# Chance that what would clear a case appears for one that moved.
BETA = 0.10
# Cumulative numbers of repeats at which a case is judged; counts in between are not to be judged.
# Judging after each repeat blocked ten times as many unchanged suites of real calls. The fourth
# wave is reached by few cases and halves the share of suites that wait for a person.
WAVES = (3, 6, 10, 15)
# Shorter histories blocked unchanged suites far too often.
MIN_HISTORY_CALLS = 10
# Evidence up to this says that the history explains the case, once ten repeats have been made.
UNDECIDED_E = 3.0
UNDECIDED_FROM_REPEATS = 10
# How often a failing case is a regression before anything else is known, for display only.
PRIOR_OF_REGRESSION = 0.02


class SecondPassState(IntEnum):
    """What the second pass says of a case."""

    REPEAT = 0
    CLEARED = 1
    MOVED = 2
    OPEN = 3


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions about failing cases; all arrays have the shape (n_cases,).

    ``state`` holds codes of `SecondPassState`, ``log_e`` natural logarithms of E-values,
    ``probability_moved`` posterior probabilities in [0, 1], ``repeats_wanted`` the repeats that
    are left until the next judgement, 0 unless the state is REPEAT.
    """

    state: IntArray
    log_e: FloatArray
    probability_moved: FloatArray
    repeats_wanted: IntArray


def decide_labels(
    observed_counts: npt.ArrayLike,
    history_counts: npt.ArrayLike,
    expected: npt.ArrayLike,
    family_size: npt.ArrayLike,
    prior: BetaPrior,
    *,
    tilt: npt.ArrayLike = 1.0,
    run_ids: npt.ArrayLike | None = None,
    fast_clear: float = 0.0,
    critical: npt.ArrayLike = False,
) -> Decisions:
    """Decide cases whose label flipped.

    Parameters
    ----------
    observed_counts, history_counts : array_like of int, shape (n_cases, n_labels)
        Calls per label in this run, first call and repeats, and before it.
    expected : array_like of int, shape (n_cases,)
        Column of the expected label.
    family_size : array_like of int, shape () or (n_cases,)
        LLM cases in the case's run.
    prior : BetaPrior
        The suite's prior of the flip rate.
    tilt : array_like of float >= 1, shape () or (n_cases,)
        How much likelier flips are in the run than usual, as odds.
    run_ids : array_like of int, shape (n_cases,), optional
        The run of each case; by default all belong to one.
    fast_clear : float >= 0
        E-value up to which the first flip alone is a known near tie; 0 gives every flip its
        second pass.
    critical : array_like of bool, shape () or (n_cases,)
        Cases that no number of repeats clears: what would clear another is OPEN for them.

    Returns
    -------
    Decisions
        CLEARED means that the expected label was settled on, never that the flip was a flake.
        Between the ends of waves the state is REPEAT, whatever the counts.

    Raises
    ------
    ValueError
        If counts are not legal.

    Notes
    -----
    Blocked at ``E >= family_size / alpha``, at any wave (Ville's inequality and a union bound),
    and by e-BH at the cap. Cleared at ``1/E >= 1/beta``, or when the repeats alone exclude "flips
    60 % of the time" at the same level, or from ten repeats on at ``E <= 3``; in each case only
    if a repeat showed the expected label.

    Measured on 1,000 suites of 200 real cases at temperature 0 with 20 calls of history, on items
    that were not used to choose the rule: 0.5 % of unchanged suites blocked, 2.1 % held, no moved
    label missed, 51 repeats per suite. Three waves with ``E <= 3`` at the cap and nothing else:
    0.5 %, 4.8 %, 0.1 %, 123 repeats. When the odds of all flips rise fivefold in one run, 2.8 % of
    unchanged quiet suites are blocked with the tilt and 6.0 % without, of suites full of near ties
    7.6 % and 72 % (simulated).

    Examples
    --------
    >>> moved = decide_labels([[0, 4]], [[200, 0]], [0], 200, BetaPrior(0.1, 1.9))
    >>> SecondPassState(moved.state[0]).name
    'MOVED'
    """
    observed = np.asarray(observed_counts, dtype=float)
    history = np.asarray(history_counts, dtype=float)
    rows = np.arange(len(observed))
    columns = np.asarray(expected)
    calls, known = observed.sum(axis=1), history.sum(axis=1)
    evidence = _Evidence(
        log_e=label_log_e(observed, history, columns, prior, tilt),
        failures=calls - observed[rows, columns],
        repeats=np.maximum(calls - 1, 0),
        rate=posterior_mean(known - history[rows, columns], known, prior),
        history_calls=known,
    )
    return _decide(evidence, family_size, run_ids, fast_clear=fast_clear, critical=critical)


def decide_binary(
    failures: npt.ArrayLike,
    calls: npt.ArrayLike,
    history_divergent: npt.ArrayLike,
    history_calls: npt.ArrayLike,
    family_size: npt.ArrayLike,
    prior: BetaPrior,
    *,
    tilt: npt.ArrayLike = 1.0,
    run_ids: npt.ArrayLike | None = None,
) -> Decisions:
    """Decide cases of which only is known whether they failed.

    Parameters
    ----------
    failures, calls : array_like of int, shape (n_cases,)
        Failing calls out of all calls of this run, first call and repeats.
    history_divergent, history_calls : array_like of int, shape (n_cases,)
        The same before this run.
    family_size, prior, tilt, run_ids
        As for `decide_labels`, the prior being that of the failure rate.

    Returns
    -------
    Decisions
        One decision per case.

    Raises
    ------
    ValueError
        If counts are not legal.

    Examples
    --------
    >>> once = decide_binary([1], [1], [0], [200], 200, BetaPrior(0.1, 1.9))
    >>> SecondPassState(once.state[0]).name, int(once.repeats_wanted[0])
    ('REPEAT', 3)
    """
    f, m = as_counts(failures, calls)
    x0, n0 = as_counts(history_divergent, history_calls)
    log_e = binary_log_e(f, m, x0, n0, prior, tilt)
    rate = posterior_mean(x0, n0, prior)
    evidence = _Evidence(
        log_e=log_e,
        failures=np.broadcast_to(f, log_e.shape),
        repeats=np.broadcast_to(np.maximum(m - 1, 0), log_e.shape),
        rate=np.broadcast_to(rate, log_e.shape),
        history_calls=np.broadcast_to(n0, log_e.shape),
    )
    return _decide(evidence, family_size, run_ids)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What is known of failing cases; all arrays have the shape (n_cases,)."""

    log_e: FloatArray
    # Failing calls of this run, the first call included, and the repeats after it.
    failures: FloatArray
    repeats: FloatArray
    # The rate that the history leads one to expect, and the calls that it rests on.
    rate: FloatArray
    history_calls: FloatArray

    @property
    def at_cap(self) -> BoolArray:
        """Where the repeats have come to their end."""
        return np.asarray(self.repeats >= WAVES[-1])

    @property
    def between_waves(self) -> BoolArray:
        """Where a wave has begun and not ended."""
        return ~(np.isin(self.repeats, (0, *WAVES)) | self.at_cap)


def _decide(
    evidence: _Evidence,
    family_size: npt.ArrayLike,
    run_ids: npt.ArrayLike | None,
    *,
    fast_clear: float = 0.0,
    critical: npt.ArrayLike = False,
) -> Decisions:
    log_e, at_cap = evidence.log_e, evidence.at_cap
    family = np.broadcast_to(np.asarray(family_size, dtype=float), log_e.shape)
    # A union bound over the run holds at any time; e-BH adds to it once, on final values.
    moved = log_e >= np.log(family / ALPHA)
    moved |= at_cap & e_bh(log_e, family, ALPHA, run_ids)
    cleared = ~moved & _cleared_by_repeats(evidence)
    known = ~moved & (evidence.repeats == 0) & (fast_clear > 0)
    known &= log_e <= np.log(fast_clear if fast_clear > 0 else 1.0)
    enough = evidence.history_calls >= MIN_HISTORY_CALLS
    by_person = np.broadcast_to(np.asarray(critical, dtype=bool), log_e.shape)

    state = np.full(log_e.shape, int(SecondPassState.REPEAT))
    state[at_cap] = SecondPassState.OPEN
    state[cleared] = np.where(by_person[cleared], SecondPassState.OPEN, SecondPassState.CLEARED)
    state[known & ~by_person] = SecondPassState.CLEARED
    state[moved] = np.where(enough[moved], SecondPassState.MOVED, SecondPassState.OPEN)
    state[evidence.between_waves] = SecondPassState.REPEAT
    return Decisions(state, log_e, probability_moved(log_e), _wanted(state, evidence.repeats))


def _cleared_by_repeats(evidence: _Evidence) -> BoolArray:
    """Return the cases whose repeats speak for what was expected.

    Either they are too few failures for a broken case, or the history explains them better than
    any move does. At least one repeat must have shown what was expected: without it nothing was
    settled, and a label that stays away is never cleared.
    """
    repeats, log_e = evidence.repeats, evidence.log_e
    failing = np.clip(evidence.failures - 1, 0, repeats)
    by_rate = clear_log_e(failing, repeats, evidence.rate) >= np.log(1 / BETA)
    # 1/E is evidence against the mixture of moves as E is against the history.
    by_history = log_e <= np.log(BETA)
    at_last = (repeats >= UNDECIDED_FROM_REPEATS) & (log_e <= np.log(UNDECIDED_E))
    return np.asarray((failing < repeats) & (by_rate | by_history | at_last))


def probability_moved(log_e: npt.ArrayLike) -> FloatArray:
    """Return the posterior probability of a regression, for display and never for a decision.

    Parameters
    ----------
    log_e : array_like of float, shape (...)
        Natural logarithm of the E-value, read as a Bayes factor.

    Returns
    -------
    ndarray of shape (...)
        Probability in [0, 1] with a prior of 2 %.

    Examples
    --------
    >>> probability_moved([0.0, 3.89]).round(3).tolist()
    [0.02, 0.5]
    """
    odds = (
        np.asarray(log_e, dtype=float)
        + np.log(PRIOR_OF_REGRESSION)
        - np.log1p(-PRIOR_OF_REGRESSION)
    )
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def _wanted(state: IntArray, repeats: FloatArray) -> IntArray:
    waves = np.array(WAVES)
    next_wave = waves[np.minimum(np.searchsorted(waves, repeats, side="right"), len(waves) - 1)]
    wanted = np.where(state == SecondPassState.REPEAT, next_wave - repeats, 0)
    return wanted.astype(np.int64)
