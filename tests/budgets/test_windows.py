"""Which charges count, and when they are too many."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgets.windows import calls_until_expiry, is_spent, within_calls, within_days


def test_the_twenty_second_charge_of_five_hundred_calls_spends_two_point_four_percent() -> None:
    assert is_spent([18, 19, 21, 22], 500, 0.024).tolist() == [False, False, False, True]


def test_one_divergence_never_spends_a_budget() -> None:
    assert is_spent([1, 2], [1, 1], 0.005).tolist() == [False, True]
    assert not is_spent(1, 0, 0.005)


@given(st.floats(0.005, 0.1), st.integers(1, 2_000))
def test_an_unchanged_case_spends_one_window_in_a_hundred_at_most(rate: float, calls: int) -> None:
    charges = np.arange(calls + 1)
    chances = stats.binom.pmf(charges, calls, rate)

    assert float(chances @ is_spent(charges, calls, rate)) <= 0.01 + 1e-9


def test_a_charge_leaves_its_window_at_its_full_age() -> None:
    assert within_days([0.0, 29.999, 30.0], 30).tolist() == [True, True, False]
    assert within_calls([0, 499, 500], 500).tolist() == [True, True, False]


@given(st.integers(0, 600))
def test_a_charge_expires_after_the_calls_that_are_told(later: int) -> None:
    left = int(calls_until_expiry(later, 500))

    assert not within_calls(later + left, 500)
    assert left == 0 or within_calls(later + left - 1, 500)


def test_illegal_numbers_are_refused_with_their_value() -> None:
    with pytest.raises(ValueError, match="longer than 0 days, got 0"):
        within_days([1], 0)
    with pytest.raises(ValueError, match="younger than 0 calls, got -1"):
        within_calls([-1], 500)
    with pytest.raises(ValueError, match="counts must not be negative, got -1"):
        is_spent(-1, 10, 0.1)
