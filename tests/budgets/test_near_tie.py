"""Margins: their noise, the ties that they show, and what one reading says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgets.near_tie import (
    MarginReading,
    Margins,
    flip_probability,
    is_near_tie,
    margin_noise,
    read_margin,
    signed_margin,
)


def moments(readings: np.ndarray) -> Margins:
    """Return the moments of margins, one row per case."""
    return Margins(
        np.full(len(readings), readings.shape[1]),
        readings.sum(axis=1),
        (readings**2).sum(axis=1),
    )


def test_the_noise_is_pooled_over_cases_with_different_means() -> None:
    rng = np.random.default_rng(1)
    readings = rng.normal(rng.uniform(-5, 5, 400)[:, None], 0.3, (400, 5))

    # numpy.sqrt(readings.var(axis=1, ddof=1).mean()): the same by definition for equal calls
    assert margin_noise(moments(readings)) == pytest.approx(
        np.sqrt(readings.var(axis=1, ddof=1).mean())
    )
    assert margin_noise(moments(readings)) == pytest.approx(0.3, abs=0.01)


def test_cases_called_once_have_no_noise_to_tell() -> None:
    assert margin_noise(moments(np.array([[1.0], [2.0]]))) == 0.0


def test_the_forecast_of_flips_is_calibrated() -> None:
    rng = np.random.default_rng(2)
    means = rng.uniform(-1, 1, 20_000)
    margins = moments(rng.normal(means[:, None], 0.5, (20_000, 3)))

    forecast = flip_probability(margins, 0.5)
    flipped = rng.normal(means, 0.5) < 0

    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        within = (forecast >= low) & (forecast < low + 0.2)
        assert flipped[within].mean() == pytest.approx(forecast[within].mean(), abs=0.04)


@given(st.floats(-5, 5), st.floats(0.01, 3), st.integers(1, 50))
def test_swapping_the_labels_swaps_the_chances(mean: float, noise: float, calls: int) -> None:
    def chance(sign: int) -> float:
        total = np.array([sign * mean * calls])
        margins = Margins(np.array([calls]), total, total**2 / calls)
        return float(flip_probability(margins, noise)[0])

    assert chance(1) + chance(-1) == pytest.approx(1)


def test_two_labels_within_three_standard_deviations_are_a_near_tie() -> None:
    margins = moments(np.array([[0.29], [0.31], [-0.29]]))

    assert is_near_tie(margins, 0.1).tolist() == [True, False, True]


def test_noise_of_an_unchanged_suite_moves_nothing() -> None:
    rng = np.random.default_rng(3)
    blocked = 0
    for _ in range(200):
        means = rng.uniform(0, 5, 200)
        margins = moments(rng.normal(means[:, None], 0.3, (200, 5)))
        reading = read_margin(rng.normal(means, 0.3), margins, 0.3, 200)
        blocked += bool((reading == MarginReading.MOVED).any())

    assert blocked == 0


def test_a_reading_is_noise_unclear_or_moved_by_its_distance() -> None:
    margins = moments(np.full((4, 9), 2.0))
    distance = 0.1 * np.sqrt(1 + 1 / 9)
    # scipy.stats.t.ppf(0.05 / 200, 5): -7.98
    new = 2.0 - distance * np.array([2.9, 3.1, 7.97, 7.99])

    readings = read_margin(new, margins, 0.1, 200)

    assert [MarginReading(code).name for code in readings] == [
        "NOISE",
        "UNCLEAR",
        "UNCLEAR",
        "MOVED",
    ]


def test_a_margin_that_grew_is_never_a_move() -> None:
    margins = moments(np.full((1, 9), 2.0))

    assert read_margin([9.0], margins, 0.1, 200).tolist() == [MarginReading.UNCLEAR]


def test_illegal_numbers_are_refused_with_their_value() -> None:
    with pytest.raises(ValueError, match=r"gap must not be negative, got -0\.5"):
        signed_margin([-0.5], [True])
    with pytest.raises(ValueError, match="at least one call per case, got 0"):
        moments(np.zeros((1, 0)))
    with pytest.raises(ValueError, match="noise must be positive, got 0"):
        flip_probability(moments(np.ones((1, 2))), 0.0)
    with pytest.raises(ValueError, match="at least one case, got 0"):
        read_margin([1.0], moments(np.ones((1, 2))), 0.1, 0)
