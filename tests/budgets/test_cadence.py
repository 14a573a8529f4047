"""How often a rate turns a build red."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgets.cadence import calls_per_divergence, calls_to_see, chance_of_red, exceedance
from budgets.counts import Counts


def test_twelve_of_five_hundred_is_one_call_in_forty_two() -> None:
    assert Counts(12, 500).share == 0.024
    assert float(calls_per_divergence(12, 500)) == pytest.approx(41.67, abs=0.005)


@pytest.mark.parametrize(
    ("calls", "percent"), [(1, 2.4), (10, 21.6), (42, 64.0), (50, 70.3), (100, 91.2), (200, 99.2)]
)
def test_the_published_chances_of_a_red_build(calls: int, percent: float) -> None:
    assert 100 * float(chance_of_red(0.024, calls)) == pytest.approx(percent, abs=0.05)


def test_one_hundred_and_twenty_four_calls_show_one_divergence() -> None:
    assert float(calls_to_see(0.024)) == pytest.approx(123.3, abs=0.05)


@given(st.floats(0.001, 0.9), st.floats(0.5, 0.999))
def test_the_calls_to_see_one_make_a_red_build_that_likely(rate: float, confidence: float) -> None:
    calls = float(calls_to_see(rate, confidence))

    assert float(chance_of_red(rate, calls)) == pytest.approx(confidence)


def test_exceedance_is_the_upper_tail() -> None:
    # scipy.stats.binom.sf(11, 500, 0.01)
    assert float(exceedance(12, 500, 0.01)) == pytest.approx(stats.binom.sf(11, 500, 0.01))
    assert float(exceedance(0, 500, 0.01)) == 1.0


def test_nothing_diverged_is_never_seen() -> None:
    assert float(calls_per_divergence(0, 500)) == float("inf")
    assert float(chance_of_red(1.0, 0)) == 0.0


def test_illegal_numbers_are_refused_with_their_value() -> None:
    with pytest.raises(ValueError, match=r"rate must lie in \[0, 1\], got 1.5"):
        chance_of_red(1.5, 1)
    with pytest.raises(ValueError, match="calls must not be negative, got -2"):
        chance_of_red(0.5, -2)
    with pytest.raises(ValueError, match=r"rate must lie in \(0, 1\), got 0"):
        calls_to_see(0.0)
    with pytest.raises(ValueError, match="got 3 of 2"):
        Counts(3, 2)
