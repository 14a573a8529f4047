"""What the windows of budgets hold, when that is too much, and when it will be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgets.terms import Window
from budgets.windows import DailyUse, days_until_expiry, days_until_spent, held, limits

THIRTY_DAYS = Window(days=30)


def use(charges: list[float], calls: float = 20.0) -> DailyUse:
    """Return the use of one budget with the same number of calls each day."""
    return DailyUse(np.array([charges]), np.full((1, len(charges)), calls))


def test_twenty_one_charges_in_five_hundred_calls_are_the_limit_of_two_point_four_percent() -> None:
    assert int(limits(500, 0.024)) == 21


def test_one_divergence_never_spends_a_budget() -> None:
    assert limits([0, 1], 0.005).tolist() == [1, 1]


@given(st.floats(0.005, 0.1), st.integers(1, 2_000))
def test_an_unchanged_case_spends_one_window_in_a_hundred_at_most(rate: float, calls: int) -> None:
    assert float(stats.binom.sf(limits(calls, rate), calls, rate)) <= 0.01 + 1e-9


def test_a_window_of_days_holds_its_last_days() -> None:
    assert held(use([0.0] * 4), [Window(days=3)]).tolist() == [[False, True, True, True]]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.integers(1, 500))
def test_a_window_of_calls_holds_the_fewest_last_days_with_so_many_calls(
    calls: list[int], wanted: int
) -> None:
    per_day = np.array([calls], dtype=float)
    counted = held(DailyUse(np.zeros_like(per_day), per_day), [Window(calls=wanted)])[0]
    total = per_day[0, counted].sum()
    first = int(np.argmax(counted))

    assert total >= min(wanted, sum(calls))
    assert counted[first:].all()
    assert total - per_day[0, first] < wanted


def test_a_steady_pace_within_the_rate_never_spends_a_budget() -> None:
    assert days_until_spent(use([0.2] * 60), [THIRTY_DAYS], [0.01]).tolist() == [np.inf]


def test_a_spent_budget_is_spent_in_zero_days() -> None:
    assert days_until_spent(use([2.0] * 30), [THIRTY_DAYS], [0.01]).tolist() == [0.0]


def test_the_forecast_comes_true_when_the_pace_goes_on() -> None:
    charges = [0.0] * 23 + [1.0] * 7
    day = int(days_until_spent(use(charges), [THIRTY_DAYS], [0.01])[0])

    def standing(ahead: int) -> tuple[float, int]:
        later = use(charges + [1.0] * ahead)
        counted = held(later, [THIRTY_DAYS])
        return later.charges[counted].sum(), int(limits(later.calls[counted].sum(), 0.01))

    spent, limit = standing(day)
    before, limit_before = standing(day - 1)
    assert spent > limit
    assert before <= limit_before


def test_the_oldest_charge_leaves_a_window_of_days_at_its_full_age() -> None:
    charges = [0.0] * 10 + [1.0] + [0.0] * 9

    assert days_until_expiry(use(charges), [THIRTY_DAYS]).tolist() == [21.0]


def test_the_oldest_charge_leaves_a_window_of_calls_when_so_many_calls_were_made() -> None:
    charges = [0.0] * 10 + [1.0] + [0.0] * 9

    assert days_until_expiry(use(charges), [Window(calls=500)]).tolist() == [16.0]


def test_without_a_charge_nothing_expires() -> None:
    assert days_until_expiry(use([0.0] * 5), [THIRTY_DAYS]).tolist() == [np.inf]


def test_illegal_numbers_are_refused_with_their_value() -> None:
    with pytest.raises(ValueError, match="must not be empty"):
        Window(days=0)
    with pytest.raises(ValueError, match="days or calls"):
        Window(days=30, calls=500)
    with pytest.raises(ValueError, match="cover the same days"):
        DailyUse(np.zeros((1, 3)), np.zeros((1, 4)))
