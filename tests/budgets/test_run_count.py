"""The number of failures of a run against what was due."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgets.run_count import burst_tilt, failure_count, failure_pmf


def test_two_hundred_cases_at_two_point_four_percent() -> None:
    count = failure_count([0.024] * 200, observed=5)

    assert count.expected == pytest.approx(4.8)
    assert count.high == 9
    # scipy.stats.binom.sf(4, 200, 0.024)
    assert count.p_value == pytest.approx(stats.binom.sf(4, 200, 0.024))


def test_a_large_run_keeps_its_exact_distribution() -> None:
    rates = np.full(30_000, 0.002)

    count = failure_count(rates, observed=80)

    # scipy.stats.binom.sf(79, 30_000, 0.002); scipy.stats.binom.ppf(0.95, 30_000, 0.002)
    assert count.p_value == pytest.approx(stats.binom.sf(79, 30_000, 0.002), abs=1e-12)
    assert count.high == 73


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=60))
def test_the_probabilities_are_those_of_scipy(chances: list[float]) -> None:
    theirs = stats.poisson_binom(chances).pmf(np.arange(len(chances) + 1))

    assert failure_pmf(chances) == pytest.approx(theirs, abs=1e-12)


def test_cases_of_one_call_count_as_one() -> None:
    alone = failure_count([0.02] * 100, 4)
    together = failure_count([0.02] * 100, 4, clusters=[0] * 100)

    assert together.expected < 1 < alone.expected
    assert together.p_value < alone.p_value


def test_cases_that_share_no_call_are_counted_each() -> None:
    rates = [0.1, 0.02, 0.3]

    assert failure_count(rates, 1, clusters=[4, 9, -1]).p_value == pytest.approx(
        failure_count(rates, 1).p_value
    )


def test_cases_of_one_call_that_fail_together_are_no_surprise() -> None:
    rng = np.random.default_rng(12)
    rates, call = np.full(200, 0.03), np.repeat(np.arange(20), 10)
    below = 0
    for _ in range(200):
        # One common cause in each call makes its cases fail together half of the time.
        cause = rng.random(20) < 0.03
        own = rng.random(200) < 0.03
        failed = np.where(rng.random(200) < 0.5, cause[call], own)
        observed = len(np.unique(call[failed]))
        below += failure_count(rates, observed, call).p_value < 0.05

    assert below <= 10


def test_a_run_without_cases_is_no_surprise() -> None:
    assert failure_count([], 0).p_value == 1.0


@given(st.lists(st.floats(0.001, 0.5), min_size=1, max_size=60), st.integers(0, 60))
def test_more_failures_are_never_likelier(rates: list[float], observed: int) -> None:
    fewer = failure_count(rates, min(observed, len(rates)))
    more = failure_count(rates, min(observed, len(rates)) + 1)

    assert 0 <= more.p_value <= fewer.p_value <= 1


@given(st.integers(10, 60))
def test_the_tilted_chances_expect_what_was_seen(observed: int) -> None:
    rates = np.full(200, 0.024)

    theta = burst_tilt(rates, observed)

    assert (theta * rates / (1 - rates + theta * rates)).sum() == pytest.approx(observed, rel=1e-3)


def test_an_illegal_quantile_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must lie in \(0, 1\), got 1\.0"):
        burst_tilt([0.5], 1, quantile=1.0)


def test_a_usual_number_of_failures_tilts_nothing() -> None:
    assert burst_tilt([0.024] * 200, 9) == 1.0
    assert burst_tilt([], 3) == 1.0
