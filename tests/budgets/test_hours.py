"""Strata of the day and their factor."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgets.hours import by_stratum, history_at, hour_factor, stratum, suite_factors


@given(st.integers(0, 23))
def test_a_count_at_one_hour_lands_in_the_stratum_of_that_hour(hour: int) -> None:
    by_hour = np.zeros(24)
    by_hour[hour] = 7

    assert by_stratum(by_hour)[int(stratum(hour))] == 7
    assert by_stratum(by_hour).sum() == 7


def test_a_stratum_nobody_has_seen_is_as_usual() -> None:
    assert float(hour_factor(0, 0)) == 1.0


@given(st.integers(0, 500), st.floats(0.0, 500.0))
def test_the_factor_lies_between_one_and_the_plain_ratio(observed: int, expected: float) -> None:
    factor = float(hour_factor(observed, expected))
    ratio = observed / expected if expected else np.inf

    assert min(1.0, ratio) - 1e-12 <= factor <= max(1.0, ratio) + 1e-12


def test_a_peak_of_three_times_the_odds_is_measured() -> None:
    rng = np.random.default_rng(6)
    rates = rng.beta(0.5, 15, 400)
    calls = np.full((400, 4), 20)
    odds = rates[:, None] / (1 - rates[:, None]) * np.array([1, 1, 3, 1])
    divergent = rng.binomial(calls, odds / (1 + odds))

    factors = suite_factors(divergent, calls)

    # The day's average holds a quarter of the peak: the factors are relative to it, not to night.
    assert factors[2] / factors[0] == pytest.approx(2.5, abs=0.35)
    assert factors[[0, 1, 3]] == pytest.approx(np.full(3, 0.7), abs=0.12)


def test_ten_calls_in_its_own_stratum_are_a_history_of_their_own() -> None:
    history = history_at(
        [[1, 0, 3, 0], [1, 0, 3, 0]], [[40, 0, 10, 0], [41, 0, 9, 0]], 2, [0.8, 1.0, 2.0, 1.0]
    )

    assert history.is_own.tolist() == [True, False]
    assert history.divergent.tolist() == [3.0, 4.0]
    assert history.calls.tolist() == [10.0, 50.0]
    assert history.tilt.tolist() == [1.0, 2.0]


def test_illegal_numbers_are_refused_with_their_value() -> None:
    with pytest.raises(ValueError, match=r"hour must lie in \[0, 23\], got 24"):
        stratum([3, 24])
    with pytest.raises(ValueError, match="must have 24 columns, got shape"):
        by_stratum([1, 2])
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        hour_factor(-1, 2)
