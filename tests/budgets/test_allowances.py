"""What a budget allows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgets.allowances import accepted_rate, allowance, calls_until_spent
from budgets.priors import DEFAULT_PRIOR


@pytest.mark.parametrize(
    ("calls", "at_95", "at_99"),
    [(50, 3, 4), (100, 5, 7), (250, 10, 12), (500, 18, 21), (1000, 32, 36)],
)
def test_the_allowances_at_two_point_four_percent(calls: int, at_95: int, at_99: int) -> None:
    assert int(allowance(0.024, calls)) == at_95
    assert int(allowance(0.024, calls, 0.99)) == at_99


@given(st.floats(0.0, 1.0), st.integers(0, 2000), st.sampled_from([0.9, 0.95, 0.99]))
def test_an_unchanged_case_stays_within_as_often_as_promised(
    rate: float, calls: int, confidence: float
) -> None:
    allowed = int(allowance(rate, calls, confidence))

    assert stats.binom.cdf(allowed, calls, rate) >= confidence - 1e-9
    assert allowed <= calls


def test_an_accepted_rate_allows_a_first_flake_and_hides_no_broken_assertion() -> None:
    rates = accepted_rate([0, 2, 20], [500, 40, 20], DEFAULT_PRIOR)

    assert rates.tolist() == [0.005, pytest.approx(0.05), 0.10]


def test_a_budget_is_spent_after_the_calls_that_are_left() -> None:
    left = calls_until_spent([0.05, 0.05, 0.0], [3, 9, 1], [5, 5, 5])

    assert left.tolist() == [60.0, 0.0, np.inf]


def test_illegal_numbers_are_refused_with_their_value() -> None:
    with pytest.raises(ValueError, match="calls must not be negative, got -1"):
        allowance(0.5, -1)
    with pytest.raises(ValueError, match=r"rate must lie in \[0, 1\], got -0.1"):
        allowance(-0.1, 10)
