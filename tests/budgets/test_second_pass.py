"""Moved, cleared, to be repeated, or for a person."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgets.priors import BetaPrior
from budgets.second_pass import (
    MIN_HISTORY_CALLS,
    WAVES,
    Decisions,
    SecondPassState,
    decide_binary,
    decide_labels,
    probability_moved,
)

PRIOR = BetaPrior(0.1, 1.9)
M = 200


def labels(flips: int, agreeing: int, history: tuple[int, int] = (200, 0)) -> Decisions:
    """Decide one case with two labels."""
    return decide_labels([[agreeing, flips]], [list(history)], [0], M, PRIOR)


def state(decisions: Decisions) -> SecondPassState:
    """Return the state of the only case."""
    return SecondPassState(int(decisions.state[0]))


def test_a_first_flip_is_repeated_whatever_the_history() -> None:
    decisions = labels(1, 0)

    assert state(decisions) is SecondPassState.REPEAT
    assert int(decisions.repeats_wanted[0]) == WAVES[0]


def test_a_label_that_stays_away_has_moved() -> None:
    assert state(labels(4, 0)) is SecondPassState.MOVED


def test_three_repeats_with_the_expected_label_clear_a_flip() -> None:
    assert state(labels(1, 3)) is SecondPassState.CLEARED


def test_mixed_repeats_go_on_to_the_next_wave() -> None:
    decisions = labels(2, 2, (20, 2))

    assert state(decisions) is SecondPassState.REPEAT
    assert int(decisions.repeats_wanted[0]) == WAVES[1] - WAVES[0]


def test_a_short_history_never_blocks_by_itself() -> None:
    assert state(labels(11, 0, (MIN_HISTORY_CALLS - 1, 0))) is SecondPassState.OPEN


def test_the_cap_ends_the_second_pass_one_way_or_the_other() -> None:
    calls = 1 + WAVES[-1]
    for flips in range(1, calls + 1):
        assert state(labels(flips, calls - flips, (20, 3))) is not SecondPassState.REPEAT


@given(st.integers(0, 60), st.sampled_from(WAVES))
def test_a_flip_is_never_cleared_unless_a_repeat_showed_the_expected_label(
    past_flips: int, repeats: int
) -> None:
    decisions = labels(1 + repeats, 0, (60 - past_flips, past_flips))

    assert state(decisions) is not SecondPassState.CLEARED


def test_a_near_tie_that_its_history_explains_is_cleared_by_the_first_wave() -> None:
    decisions = labels(2, 2, (12, 8))

    assert state(decisions) is SecondPassState.CLEARED
    assert float(decisions.log_e[0]) < np.log(0.1)


def test_a_known_near_tie_needs_no_repeats_when_the_profile_says_so() -> None:
    fast = decide_labels([[0, 1, 0, 0]], [[10, 10, 0, 0]], [0], M, PRIOR, fast_clear=1.0)
    strict = decide_labels([[0, 1, 0, 0]], [[10, 10, 0, 0]], [0], M, PRIOR)

    assert (state(fast), state(strict)) == (SecondPassState.CLEARED, SecondPassState.REPEAT)


def test_a_critical_label_is_never_cleared_and_keeps_its_second_pass() -> None:
    observed = [[0, 1], [3, 1], [10, 1], [0, 4]]
    history = [[100, 60], [100, 0], [100, 0], [100, 0]]

    decisions = decide_labels(
        observed, history, [0] * 4, M, PRIOR, fast_clear=10.0, critical=[True] * 4
    )

    assert [SecondPassState(s).name for s in decisions.state] == ["REPEAT", "OPEN", "OPEN", "MOVED"]


@pytest.mark.parametrize(("repeats", "wanted"), [(1, 2), (2, 1), (4, 2), (5, 1), (7, 3), (9, 1)])
def test_nothing_is_decided_between_the_ends_of_waves(repeats: int, wanted: int) -> None:
    for decisions in (labels(1 + repeats, 0), labels(1, repeats)):
        assert state(decisions) is SecondPassState.REPEAT
        assert int(decisions.repeats_wanted[0]) == wanted


def test_a_crash_on_every_repeat_has_moved_and_one_that_went_away_is_cleared() -> None:
    decisions = decide_binary([4, 1], [4, 4], [0, 0], [50, 50], M, PRIOR)

    assert [SecondPassState(s).name for s in decisions.state] == ["MOVED", "CLEARED"]


@given(st.integers(0, 10_000))
def test_cases_of_one_run_do_not_change_those_of_another(seed: int) -> None:
    rng = np.random.default_rng(seed)
    history = np.column_stack([rng.integers(10, 60, 12), rng.integers(0, 6, 12)])
    flips = rng.integers(1, 12, 12)
    observed = np.column_stack([11 - flips, flips])
    runs = np.repeat([0, 1, 2], 4)
    expected = np.zeros(12, dtype=int)

    together = decide_labels(observed, history, expected, M, PRIOR, run_ids=runs)
    alone = [
        decide_labels(observed[runs == run], history[runs == run], expected[:4], M, PRIOR).state
        for run in range(3)
    ]

    assert together.state.tolist() == np.concatenate(alone).tolist()


def test_no_failing_case_needs_no_decision() -> None:
    none = np.zeros((0, 3))

    assert decide_labels(none, none, np.zeros(0, dtype=int), M, PRIOR).state.tolist() == []
    assert decide_binary([], [], [], [], M, PRIOR).state.tolist() == []


def test_a_bad_hour_takes_more_repeats_to_blame_a_case() -> None:
    usual = decide_labels([[0, 4]], [[60, 2]], [0], M, PRIOR)
    in_burst = decide_labels([[0, 4]], [[60, 2]], [0], M, PRIOR, tilt=20.0)

    assert (state(usual), state(in_burst)) == (SecondPassState.MOVED, SecondPassState.REPEAT)


def test_unchanged_suites_are_rarely_blocked() -> None:
    rng = np.random.default_rng(5)
    blocked = 0
    for _ in range(300):
        rates = rng.beta(PRIOR.a, PRIOR.b, M)
        history = rng.binomial(20, rates)
        failing = np.flatnonzero(rng.random(M) < rates)
        flips = 1 + rng.binomial(3, rates[failing])
        observed = np.column_stack([4 - flips, flips])
        past = np.column_stack([20 - history[failing], history[failing]])
        decisions = decide_labels(observed, past, np.zeros(len(failing), dtype=int), M, PRIOR)
        blocked += bool((decisions.state == SecondPassState.MOVED).any())

    assert blocked / 300 <= 0.05


@pytest.mark.parametrize(("log_e", "low", "high"), [(0.0, 0.0199, 0.0201), (50.0, 0.999, 1.0)])
def test_no_evidence_leaves_the_prior_chance_of_a_regression(
    log_e: float, low: float, high: float
) -> None:
    assert low <= float(probability_moved(np.array([log_e]))[0]) <= high
