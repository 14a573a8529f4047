"""The budget monitor's false alarms and delays."""

import numpy as np
import pytest
from scipy import stats

from budgets.monitor import (
    SUITE_THRESHOLD,
    initial_state,
    is_alarming,
    update,
    update_suite,
)


def first_alarms(rate: float, cases: int, calls: int) -> np.ndarray:
    """Return the call of each case's first alarm; infinite without one."""
    rng = np.random.default_rng(17)
    state, first = initial_state(cases), np.full(cases, np.inf)
    for call in range(1, calls + 1):
        state = update(state, rng.random(cases) < rate, np.ones(cases), np.full(cases, 0.024))
        first[is_alarming(state) & np.isinf(first)] = call
    return first


def test_a_case_at_its_accepted_rate_alarms_less_than_once_in_five_thousand_calls() -> None:
    first = first_alarms(0.024, 400, 1_000)

    assert np.isfinite(first).sum() / np.minimum(first, 1_000).sum() <= 1 / 5_000


def test_a_rate_that_rose_to_thirty_percent_is_seen_within_two_dozen_calls() -> None:
    assert np.median(first_alarms(0.30, 400, 60)) <= 25


def test_the_first_batch_is_the_likelihood_ratio_of_each_raised_rate() -> None:
    state = update(initial_state(1), [2], [10], [0.024])

    # scipy.stats.binom.pmf(2, 10, 0.048) / scipy.stats.binom.pmf(2, 10, 0.024), alternative 2
    raised, accepted = stats.binom.pmf(2, 10, 0.048), stats.binom.pmf(2, 10, 0.024)
    assert float(np.exp(state[0, 1])) == pytest.approx(raised / accepted)
    assert not is_alarming(state)[0]


def test_a_batch_of_no_calls_ages_the_monitor_and_shows_nothing() -> None:
    state = update(update(initial_state(1), [1], [1], [0.024]), [0], [0], [0.024])

    assert float(np.exp(state[0, 0])) == pytest.approx(1 + 1.5)


def test_the_mean_of_the_statistic_grows_by_one_with_each_update_while_nothing_changed() -> None:
    states = np.stack([update(initial_state(1), [x], [3], [0.1])[0] for x in range(4)])
    chances = stats.binom.pmf(np.arange(4), 3, 0.1)

    assert chances @ np.exp(states) == pytest.approx(np.ones(6))


def test_a_quiet_suite_raises_no_alarm_and_a_raised_one_does() -> None:
    rng = np.random.default_rng(2)
    quiet = raised = np.full(4, -np.inf)
    rates = np.full(200, 0.024)
    for _ in range(20):
        quiet = update_suite(quiet, rng.random(200) < 0.024, rates)
        raised = update_suite(raised, rng.random(200) < 0.10, rates)

    assert not is_alarming(quiet[None], SUITE_THRESHOLD)[0]
    assert is_alarming(raised[None], SUITE_THRESHOLD)[0]


def test_a_threshold_that_every_state_would_pass_is_refused() -> None:
    with pytest.raises(ValueError, match="threshold must be above 1, got 1"):
        is_alarming(initial_state(1), 1.0)
    with pytest.raises(ValueError, match="n_cases must not be negative, got -1"):
        initial_state(-1)


def test_no_case_is_no_alarm() -> None:
    assert is_alarming(initial_state(0)).tolist() == []
