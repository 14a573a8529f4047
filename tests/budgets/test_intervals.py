"""Intervals, against outside numbers, identities and their own coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgets.intervals import Interval, clopper_pearson, credible, jeffreys, wilson
from budgets.priors import BetaPrior, fit_prior

PRIOR = BetaPrior(0.1, 1.9)


@pytest.mark.parametrize(
    ("method", "low", "high"),
    [
        # statsmodels.stats.proportion.proportion_confint(12, 500, method="wilson")
        (wilson, 0.0137807, 0.0414768),
        # statsmodels.stats.proportion.proportion_confint(12, 500, method="jeffreys")
        (jeffreys, 0.0131710, 0.0402711),
        # scipy.stats.binomtest(12, 500).proportion_ci(method="exact")
        (clopper_pearson, 0.0124642, 0.0415429),
    ],
)
def test_twelve_of_five_hundred(method, low: float, high: float) -> None:  # type: ignore[no-untyped-def]
    interval = method(12, 500)

    assert float(interval.low) == pytest.approx(low, abs=2e-5)
    assert float(interval.high) == pytest.approx(high, abs=2e-5)


@pytest.mark.parametrize(("divergent", "calls"), [(0, 20), (1, 20), (7, 20), (20, 20), (3, 1000)])
def test_wilson_and_clopper_pearson_agree_with_scipy(divergent: int, calls: int) -> None:
    exact = stats.binomtest(divergent, calls)
    for method, name in ((wilson, "wilson"), (clopper_pearson, "exact")):
        theirs = exact.proportion_ci(method=name)
        ours = method(divergent, calls)
        assert float(ours.low) == pytest.approx(theirs.low, abs=1e-9)
        assert float(ours.high) == pytest.approx(theirs.high, abs=1e-9)


@given(st.integers(0, 500), st.integers(0, 500))
def test_every_interval_holds_the_share_and_stays_within_zero_and_one(
    divergent: int, agreeing: int
) -> None:
    calls = divergent + agreeing
    share = divergent / calls if calls else 0.0
    for method in (wilson, jeffreys, clopper_pearson):
        interval = method(divergent, calls)
        assert 0 <= float(interval.low) <= share + 1e-12
        assert share - 1e-12 <= float(interval.high) <= 1 or not calls


@given(st.integers(1, 200), st.integers(0, 200))
def test_more_calls_make_a_narrower_interval(divergent: int, agreeing: int) -> None:
    calls = divergent + agreeing
    few, many = wilson(divergent, calls), wilson(10 * divergent, 10 * calls)

    assert width(many) <= width(few) + 1e-12


def test_the_credible_interval_keeps_its_coverage_for_cases_that_have_failed() -> None:
    rng = np.random.default_rng(7)
    held = failed = 0
    for _ in range(30):
        rates = rng.beta(0.3, 12, 200)
        divergent = rng.binomial(20, rates)
        interval = credible(divergent, 20, fit_prior(divergent, np.full(200, 20)))
        looked_at = divergent > 0
        within = (interval.low <= rates) & (rates <= interval.high)
        held, failed = held + int(within[looked_at].sum()), failed + int(looked_at.sum())

    assert 0.92 < held / failed < 0.98


def test_counts_that_are_none_are_refused_with_their_value() -> None:
    with pytest.raises(ValueError, match="divergent calls must not exceed calls, got 3 of 2"):
        wilson(3, 2)
    with pytest.raises(ValueError, match="counts must not be negative, got -1"):
        credible(-1, 2, PRIOR)
    with pytest.raises(ValueError, match=r"confidence must lie in \(0, 1\), got 1.5"):
        clopper_pearson(1, 2, 1.5)


def width(interval: Interval) -> float:
    """Return the width of an interval."""
    return float(interval.high - interval.low)
