"""The suite's word on a case that has few calls of its own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgets.priors import (
    DEFAULT_PRIOR,
    BetaPrior,
    decision_prior,
    fit_prior,
    posterior_mean,
)


def test_a_fit_finds_the_prior_that_made_the_counts() -> None:
    rng = np.random.default_rng(3)
    rates = rng.beta(0.4, 3.6, 5_000)

    fitted = fit_prior(rng.binomial(50, rates), np.full(5_000, 50))

    assert fitted.mean == pytest.approx(0.1, abs=0.01)
    assert fitted.weight == pytest.approx(4, rel=0.15)


def test_few_cases_or_calls_leave_the_default() -> None:
    assert decision_prior([0, 1, 0, 0], [50, 50, 50, 50]) == DEFAULT_PRIOR
    assert decision_prior([0] * 10, [9] * 10) == DEFAULT_PRIOR


# A fit takes some twenty milliseconds.
@settings(max_examples=25)
@given(st.lists(st.integers(0, 30), min_size=5, max_size=40))
def test_a_decision_never_rests_on_the_suite_more_than_on_three_calls(divergent: list[int]) -> None:
    prior = decision_prior(divergent, [30] * len(divergent))

    assert prior.b <= 3.0 + 1e-12
    assert prior.a >= 0.1


def test_without_calls_the_posterior_is_the_prior() -> None:
    assert float(posterior_mean(0, 0, BetaPrior(0.5, 1.5))) == 0.25


@given(st.integers(0, 100), st.integers(0, 100))
def test_the_posterior_lies_between_the_prior_and_the_share(x: int, rest: int) -> None:
    mean = float(posterior_mean(x, x + rest, DEFAULT_PRIOR))
    share = x / (x + rest) if x + rest else DEFAULT_PRIOR.mean

    assert min(share, DEFAULT_PRIOR.mean) <= mean <= max(share, DEFAULT_PRIOR.mean)


def test_pseudo_counts_must_be_positive() -> None:
    with pytest.raises(ValueError, match="a and b must be positive, got 0 and 1"):
        BetaPrior(0, 1)
