"""Say whether the published 2.4 % applies: three conditions held against a suite's own data."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
from scipy import stats

from budgets.checks import as_counts
from budgets.statistical_power import divergences_needed
from budgets.stratified import stratified_test

# Twelve divergences in 500 identical calls.
PUBLISHED_RATE = 0.024
# Once in a thousand calls is an incident of the provider, not a near tie.
INCIDENT_RATE = 0.001
# One divergence may be anything; two in a case that should have none are its own.
FEWEST_DIVERGENCES = 2
SIGNIFICANCE = 0.05
# A load pattern worth the name doubles the odds in the busiest of four strata.
LOAD_ODDS_RATIO = 2.0
STRATUM_SHARE = 0.25
# Byte-sensitive: most divergences leave the parsed label alone.
MOST = 0.5
# More divergences than these are not asked for: the answer would be "about half".
MOST_ASKED_FOR = 1_000


class Answer(StrEnum):
    """Whether a condition holds."""

    HOLDS = "holds"
    DOES_NOT = "does not hold"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class Condition:
    """The answer to one condition, and what an answer would take.

    ``divergences_needed`` and ``calls_needed`` are how many more of them could settle it, 0 when
    it is settled.
    """

    answer: Answer
    divergences_needed: int = 0
    calls_needed: int = 0


def near_tie(divergent: int, calls: int, *, is_tied_by_margin: bool = False) -> Condition:
    """Return whether a case's output lands on a gap narrower than the noise.

    Parameters
    ----------
    divergent : int
        Calls whose text or label differed: with a deterministic sampler each shows a near tie
        somewhere in the output.
    calls : int
        All calls.
    is_tied_by_margin : bool
        Whether the case's margins show a near tie, in a suite whose margins passed their check.

    Returns
    -------
    Condition
        Holds by the margins, or when at least two calls differed and once in a thousand does not
        explain them; does not hold when 2.4 % would have shown more; cannot tell otherwise.

    Raises
    ------
    ValueError
        If counts are not legal.

    Examples
    --------
    >>> str(near_tie(12, 500).answer), str(near_tie(0, 124).answer)
    ('holds', 'does not hold')
    >>> near_tie(0, 24)
    Condition(answer=<Answer.CANNOT_TELL: 'cannot tell'>, divergences_needed=2, calls_needed=100)
    """
    as_counts(divergent, calls)
    is_more = float(stats.binom.sf(divergent - 1, calls, INCIDENT_RATE)) < SIGNIFICANCE
    if is_tied_by_margin or (divergent >= FEWEST_DIVERGENCES and is_more):
        return Condition(Answer.HOLDS)
    if float(stats.binom.cdf(divergent, calls, PUBLISHED_RATE)) <= SIGNIFICANCE:
        return Condition(Answer.DOES_NOT)
    return Condition(
        Answer.CANNOT_TELL,
        divergences_needed=max(FEWEST_DIVERGENCES - divergent, 1),
        calls_needed=_calls_to_exclude(divergent) - calls,
    )


def load_pattern(divergent: npt.ArrayLike, calls: npt.ArrayLike) -> Condition:
    """Return whether divergences follow the load, as far as the hour shows it.

    Parameters
    ----------
    divergent, calls : array_like of int, shape (n_cases, 4)
        Counts per case and six-hour stratum of the day.

    Returns
    -------
    Condition
        Cannot tell with fewer divergences than a doubling of the odds in one stratum needs, or
        when all calls fell into one stratum; else by the test stratified by case.

    Raises
    ------
    ValueError
        If counts are not legal.

    Examples
    --------
    >>> load_pattern([[2, 1, 3, 2]], [[25, 25, 25, 25]])
    Condition(answer=<Answer.CANNOT_TELL: 'cannot tell'>, divergences_needed=80, calls_needed=0)
    """
    x, n = as_counts(divergent, calls)
    missing = divergences_needed(LOAD_ODDS_RATIO, STRATUM_SHARE) - int(x.sum())
    if missing > 0:
        return Condition(Answer.CANNOT_TELL, divergences_needed=missing)
    test = stratified_test(x, n)
    if test.degrees == 0:
        return Condition(Answer.CANNOT_TELL, divergences_needed=1)
    return Condition(Answer.HOLDS if test.p_value < SIGNIFICANCE else Answer.DOES_NOT)


def byte_sensitive_assertion(
    with_label_kept: int, divergent: int, declared: str | None = None
) -> Condition:
    """Return whether the assertion fails over bytes that do not matter.

    Parameters
    ----------
    with_label_kept : int
        Divergences whose parsed label was the expected one: asserting on it would have passed.
    divergent : int
        Divergences whose parsed label is known.
    declared : str, optional
        What the report says of the assertion: "bytes", "parsed", "invariant" or "judge".

    Returns
    -------
    Condition
        As declared, if it is "bytes", "parsed" or "invariant"; else whether most divergences kept
        the label.

    Raises
    ------
    ValueError
        If more divergences kept the label than there were.

    Examples
    --------
    >>> str(byte_sensitive_assertion(9, 10).answer)
    'holds'
    >>> byte_sensitive_assertion(2, 2).divergences_needed
    3
    """
    as_counts(with_label_kept, divergent)
    if declared in {"bytes", "parsed", "invariant"}:
        return Condition(Answer.HOLDS if declared == "bytes" else Answer.DOES_NOT)
    flipped = divergent - with_label_kept
    if _is_most(with_label_kept, divergent):
        return Condition(Answer.HOLDS)
    if _is_most(flipped, divergent):
        return Condition(Answer.DOES_NOT)
    more = np.arange(1, MOST_ASKED_FOR + 1)
    leading = max(with_label_kept, flipped)
    settled = np.asarray(stats.binom.sf(leading + more - 1, divergent + more, MOST) <= SIGNIFICANCE)
    needed = int(more[int(np.argmax(settled))]) if settled.any() else MOST_ASKED_FOR
    return Condition(Answer.CANNOT_TELL, divergences_needed=needed)


def published_rate_applies(*conditions: Condition) -> Answer:
    """Return whether 2.4 % says anything here: all conditions must hold.

    Parameters
    ----------
    *conditions : Condition
        By custom `near_tie`, `load_pattern` and `byte_sensitive_assertion`.

    Returns
    -------
    Answer
        Does not hold as soon as one of them does not; cannot tell while any is open.

    Examples
    --------
    >>> str(published_rate_applies(Condition(Answer.HOLDS), Condition(Answer.DOES_NOT)))
    'does not hold'
    """
    answers = {condition.answer for condition in conditions}
    if Answer.DOES_NOT in answers:
        return Answer.DOES_NOT
    return Answer.CANNOT_TELL if Answer.CANNOT_TELL in answers else Answer.HOLDS


def _is_most(count: int, divergent: int) -> bool:
    if not divergent:
        return False
    return float(stats.binom.sf(count - 1, divergent, MOST)) <= SIGNIFICANCE


def _calls_to_exclude(divergent: int) -> int:
    """Return the calls in which 2.4 % would have shown more than this many divergences."""
    calls = np.arange(1, 125 * (divergent + 1) + 1)
    excluded = stats.binom.cdf(divergent, calls, PUBLISHED_RATE) <= SIGNIFICANCE
    return int(calls[int(np.argmax(excluded))])
