"""Decide a failing case from its repeats: moved, cleared, to be repeated, or for a person."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from budgets.checks import BoolArray, FloatArray, IntArray, as_counts
from budgets.e_values import binary_log_e, clear_log_e, label_log_e
from budgets.priors import BetaPrior, posterior_mean

# Chance per run, over all its cases, that an unchanged case is blocked.
ALPHA = 0.05
# Chance that a case which fails 60 % of the time is cleared.
BETA = 0.10
# Cumulative numbers of repeats at which a case is judged; counts in between are not to be judged.
# Judging after each repeat blocked ten times as many unchanged suites of real calls.
WAVES = (3, 6, 10)
# Shorter histories blocked unchanged suites far too often.
MIN_HISTORY_CALLS = 10
# Evidence up to this at the cap says that the history explains the case.
UNDECIDED_E = 3.0
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

    Returns
    -------
    Decisions
        CLEARED means that the expected label was settled on, never that the flip was a flake.

    Raises
    ------
    ValueError
        If counts are not legal.

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
    log_e = label_log_e(observed, history, columns, prior, tilt)
    rate = posterior_mean(known - history[rows, columns], known, prior)
    return _decide(
        log_e,
        calls - observed[rows, columns],
        calls,
        rate,
        known,
        family_size,
        run_ids,
        fast_clear,
    )


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
    return _decide(log_e, f, m, posterior_mean(x0, n0, prior), n0, family_size, run_ids, 0.0)


def _decide(
    log_e: FloatArray,
    failures: FloatArray,
    calls: FloatArray,
    rate: FloatArray,
    history_calls: FloatArray,
    family_size: npt.ArrayLike,
    run_ids: npt.ArrayLike | None,
    fast_clear: float,
) -> Decisions:
    repeats = np.maximum(calls - 1, 0)
    runs = np.zeros(len(log_e), dtype=int) if run_ids is None else np.asarray(run_ids)
    family = np.broadcast_to(np.asarray(family_size, dtype=float), log_e.shape)
    at_cap = repeats >= WAVES[-1]
    # A union bound over the run holds at any time; e-BH adds to it once, on final values.
    moved = (log_e >= np.log(family / ALPHA)) | (at_cap & _stands_out(log_e, family, runs))
    cleared = ~moved & _cleared(log_e, failures, repeats, rate, at_cap, fast_clear)
    enough = history_calls >= MIN_HISTORY_CALLS
    state = np.full(log_e.shape, int(SecondPassState.REPEAT))
    state[at_cap] = SecondPassState.OPEN
    state[cleared] = SecondPassState.CLEARED
    state[moved & enough] = SecondPassState.MOVED
    state[moved & ~enough] = SecondPassState.OPEN
    return Decisions(state, log_e, _probability_moved(log_e), _wanted(state, repeats))


def _stands_out(log_e: FloatArray, family: FloatArray, runs: IntArray) -> BoolArray:
    """Return the rejections of e-BH within each run, for all runs at once."""
    order = np.lexsort((-log_e, runs))
    _, run_of, sizes = np.unique(runs, return_inverse=True, return_counts=True)
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(runs))
    rank[order] = np.arange(len(runs)) - np.repeat(starts, sizes) + 1
    last = np.zeros(len(sizes))
    passing = log_e >= np.log(family / (ALPHA * rank))
    np.maximum.at(last, run_of[passing], rank[passing])
    return np.asarray(rank <= last[run_of])


def _cleared(
    log_e: FloatArray,
    failures: FloatArray,
    repeats: FloatArray,
    rate: FloatArray,
    at_cap: BoolArray,
    fast_clear: float,
) -> BoolArray:
    """Return the cases whose repeats, or whose history, speak for what was expected."""
    failing_repeats = np.clip(failures - 1, 0, repeats)
    by_repeats = (repeats > 0) & (clear_log_e(failing_repeats, repeats, rate) >= np.log(1 / BETA))
    by_cap = at_cap & (log_e <= np.log(UNDECIDED_E))
    if fast_clear <= 0:
        return np.asarray(by_repeats | by_cap)
    by_history = (repeats == 0) & (log_e <= np.log(fast_clear))
    return np.asarray(by_repeats | by_cap | by_history)


def _probability_moved(log_e: FloatArray) -> FloatArray:
    odds = log_e + np.log(PRIOR_OF_REGRESSION) - np.log1p(-PRIOR_OF_REGRESSION)
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def _wanted(state: IntArray, repeats: FloatArray) -> IntArray:
    waves = np.array(WAVES)
    next_wave = waves[np.minimum(np.searchsorted(waves, repeats, side="right"), len(waves) - 1)]
    wanted = np.where(state == SecondPassState.REPEAT, next_wave - repeats, 0)
    return wanted.astype(np.int64)
