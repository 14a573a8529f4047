"""A burst of failing runs against the past of a provider."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgets.incidents import burst_p_value


def test_two_failing_runs_in_an_hour_are_a_burst_only_after_a_quiet_week() -> None:
    assert float(burst_p_value(2, 0, 168)) < 1e-4
    assert float(burst_p_value(2, 7, 168)) > 1e-4
    assert float(burst_p_value(4, 7, 168)) < 1e-4


def test_no_failing_run_is_never_surprising() -> None:
    assert float(burst_p_value(0, 5, 168)) == 1.0


@given(st.integers(0, 50), st.integers(0, 500), st.floats(1, 1_000))
def test_more_failing_runs_are_less_likely_and_a_worse_past_makes_them_likelier(
    recent: int, past: int, windows: float
) -> None:
    p = float(burst_p_value(recent, past, windows))

    assert float(burst_p_value(recent + 1, past, windows)) <= p
    assert float(burst_p_value(recent, past + 1, windows)) >= p


def test_false_alarms_stay_below_their_rate() -> None:
    rng = np.random.default_rng(11)
    rates = rng.gamma(0.5, 0.4, 200_000)
    past = rng.poisson(168 * rates)
    recent = rng.poisson(rates)

    alarms = (burst_p_value(recent, past, 168) < 0.001) & (recent >= 2)

    assert alarms.mean() < 0.001 + 3 * np.sqrt(0.001 / 200_000)


def test_illegal_numbers_are_refused_with_their_value() -> None:
    with pytest.raises(ValueError, match="got -1"):
        burst_p_value(-1, 0, 168)
    with pytest.raises(ValueError, match="windows must be positive"):
        burst_p_value(1, 0, 0)
