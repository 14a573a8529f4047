"""Whether a suite's margins may be used."""

import numpy as np
import pytest

from budgets.margin_check import MarginCheck, check_margins
from budgets.near_tie import Margins
from budgets.priors import BetaPrior

PRIOR = BetaPrior(0.1, 1.9)


def simulated_check(rng: np.random.Generator, told: float) -> MarginCheck:
    """Check margins of 300 cases of which ``told`` of the spread decides the label."""
    means = rng.normal(2, 2, 300)
    shown = told * means + (1 - told) * rng.normal(2, 2, 300)
    earlier, later = rng.normal(means[:, None], 0.3, (2, 300, 10))
    readings = earlier[:, :3] - means[:, None] + shown[:, None]
    margins = Margins(np.full(300, 3), readings.sum(axis=1), (readings**2).sum(axis=1))
    return check_margins(
        margins, (earlier[:, :3] < 0).sum(axis=1), 3, (later < 0).sum(axis=1), 10, PRIOR
    )


def test_margins_that_decide_the_label_pass() -> None:
    check = simulated_check(np.random.default_rng(5), told=1.0)

    assert check.passes
    assert check.margin_loss < check.count_loss


def test_margins_that_have_nothing_to_do_with_the_label_do_not_pass() -> None:
    assert not simulated_check(np.random.default_rng(5), told=0.0).passes


def test_fewer_than_thirty_flips_never_pass() -> None:
    assert not MarginCheck(100, 29, 0.1, 0.9).passes
    assert MarginCheck(100, 30, 0.1, 0.9).passes


def test_margins_without_noise_forecast_nothing() -> None:
    margins = Margins(np.array([1]), np.array([5.0]), np.array([25.0]))

    check = check_margins(margins, [0], [1], [40], [80], PRIOR)

    assert check.margin_loss == pytest.approx(80 * np.log(2))


def test_checks_of_successive_runs_add_up_to_one() -> None:
    first, second = MarginCheck(60, 20, 1.0, 2.0), MarginCheck(40, 10, 0.5, 0.25)

    assert first + second == MarginCheck(100, 30, 1.5, 2.25)
    assert (first + second).passes and not first.passes
