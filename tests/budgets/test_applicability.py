"""Does 2.4 % apply here?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgets.applicability import (
    Answer,
    Condition,
    byte_sensitive_assertion,
    load_pattern,
    near_tie,
    published_rate_applies,
)

HOLDS, DOES_NOT, OPEN = (Condition(answer) for answer in Answer)


@pytest.mark.parametrize(
    ("divergent", "calls", "answer"),
    [
        (12, 500, Answer.HOLDS),
        (2, 300, Answer.HOLDS),
        (1, 30, Answer.CANNOT_TELL),
        (0, 123, Answer.CANNOT_TELL),
        (0, 124, Answer.DOES_NOT),
        (1, 500, Answer.DOES_NOT),
        (0, 0, Answer.CANNOT_TELL),
    ],
)
def test_a_near_tie_shows_in_divergences(divergent: int, calls: int, answer: Answer) -> None:
    assert near_tie(divergent, calls).answer is answer


def test_margins_that_passed_their_check_show_a_near_tie_before_it_flips() -> None:
    assert near_tie(0, 3, is_tied_by_margin=True) == HOLDS


@given(st.integers(0, 4), st.integers(0, 120))
def test_the_calls_that_are_asked_for_are_enough(divergent: int, quiet: int) -> None:
    condition = near_tie(divergent, divergent + quiet)
    if condition.answer is not Answer.CANNOT_TELL:
        return

    later = near_tie(divergent, divergent + quiet + condition.calls_needed)

    assert condition.calls_needed > 0
    assert later.answer is Answer.DOES_NOT


def test_the_label_kept_in_five_of_five_divergences_shows_a_byte_sensitive_assertion() -> None:
    # scipy.stats.binom.sf(4, 5, 0.5): 0.03125; of four: 0.0625
    assert byte_sensitive_assertion(5, 5).answer is Answer.HOLDS
    assert byte_sensitive_assertion(4, 4) == Condition(Answer.CANNOT_TELL, divergences_needed=1)
    assert byte_sensitive_assertion(0, 5).answer is Answer.DOES_NOT
    assert byte_sensitive_assertion(0, 0).divergences_needed == 5


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_divergences_that_are_asked_for_could_settle_it(kept: int, flipped: int) -> None:
    condition = byte_sensitive_assertion(kept, kept + flipped)
    if condition.answer is not Answer.CANNOT_TELL:
        return
    more = condition.divergences_needed
    kept, flipped = (kept + more, flipped) if kept >= flipped else (kept, flipped + more)

    later = byte_sensitive_assertion(kept, kept + flipped)

    assert later.answer is not Answer.CANNOT_TELL


@pytest.mark.parametrize(
    ("declared", "answer"),
    [
        ("bytes", Answer.HOLDS),
        ("parsed", Answer.DOES_NOT),
        ("invariant", Answer.DOES_NOT),
        ("judge", Answer.CANNOT_TELL),
        (None, Answer.CANNOT_TELL),
    ],
)
def test_a_declared_assertion_is_taken_at_its_word(declared: str | None, answer: Answer) -> None:
    assert byte_sensitive_assertion(1, 2, declared).answer is answer


def test_a_load_pattern_shows_in_the_hours_once_there_are_enough_divergences() -> None:
    rng = np.random.default_rng(9)
    calls = np.full((200, 4), 30)
    flat = rng.binomial(calls, 0.02)
    peaked = rng.binomial(calls, [0.02, 0.02, 0.06, 0.02])

    assert load_pattern(flat, calls).answer is Answer.DOES_NOT
    assert load_pattern(peaked, calls).answer is Answer.HOLDS


def test_twelve_divergences_cannot_show_a_load_pattern() -> None:
    condition = load_pattern([[3, 3, 3, 3]], [[125] * 4])

    assert condition.answer is Answer.CANNOT_TELL
    assert condition.divergences_needed == 88 - 12


def test_calls_at_one_time_of_day_cannot_show_a_load_pattern() -> None:
    assert load_pattern([[100, 0, 0, 0]], [[900, 0, 0, 0]]).answer is Answer.CANNOT_TELL


def test_the_published_rate_applies_only_when_all_three_conditions_hold() -> None:
    assert published_rate_applies(HOLDS, HOLDS, HOLDS) is Answer.HOLDS
    assert published_rate_applies(HOLDS, OPEN, HOLDS) is Answer.CANNOT_TELL
    assert published_rate_applies(OPEN, DOES_NOT, HOLDS) is Answer.DOES_NOT


def test_an_unchanged_incident_rate_is_seldom_taken_for_a_near_tie() -> None:
    divergent = np.arange(0, 30)
    chances = stats.binom.pmf(divergent, 2000, 0.001)
    taken = [near_tie(int(x), 2000).answer is Answer.HOLDS for x in divergent]

    assert float(chances @ taken) < 0.05
