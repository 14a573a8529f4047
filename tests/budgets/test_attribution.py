"""What divergences are associated with, and what too few of them cannot tell."""

import numpy as np
import pytest

from budgets.attribution import (
    Association,
    associations,
    false_discoveries_excluded,
)
from budgets.statistical_power import divergences_needed


def one(association: list[Association]) -> Association:
    """Return the only association."""
    (only,) = association
    return only


def test_a_flaky_case_that_runs_on_one_backend_does_not_blame_the_backend() -> None:
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(100):
        rates = np.repeat([0.002, 0.30], [40, 10])
        on_second = np.where(rates > 0.1, 0.9, 0.1)
        case = np.repeat(np.arange(50), 40)
        backend = (rng.random(2000) < on_second[case]).astype(int)
        diverged = rng.random(2000) < rates[case]
        found += one(associations(diverged, case, {"backend": backend})).verdict == "associated"

    assert found <= 11


def test_a_backend_that_triples_the_odds_is_found() -> None:
    rng = np.random.default_rng(8)
    case = np.repeat(np.arange(200), 50)
    backend = rng.integers(0, 2, case.size)
    odds = 0.02 / 0.98 * np.where(backend == 1, 3.0, 1.0)

    answer = one(associations(rng.random(case.size) < odds / (1 + odds), case, {"b": backend}))

    assert answer.verdict == "associated"
    assert answer.p_value is not None and answer.p_value < 1e-6


def test_a_backend_that_follows_the_hour_is_not_blamed_for_it() -> None:
    rng = np.random.default_rng(15)
    case = np.repeat(np.arange(200), 50)
    hour = rng.integers(0, 2, case.size)
    backend = np.where(rng.random(case.size) < 0.8, hour, 1 - hour)
    odds = 0.03 / 0.97 * np.where(hour == 1, 4.0, 1.0)
    diverged = rng.random(case.size) < odds / (1 + odds)

    by_backend, by_hour = associations(diverged, case, {"backend": backend, "hour": hour})

    assert (by_backend.verdict, by_hour.verdict) == ("not associated", "associated")
    assert by_backend.p_value is not None and by_backend.p_value < 1e-6
    assert by_backend.conditional_p_value is not None and by_backend.conditional_p_value > 0.05
    assert by_hour.conditional_p_value is None


def test_twelve_divergences_are_too_few_to_attribute() -> None:
    diverged = np.zeros(500, dtype=bool)
    diverged[:12] = True
    levels = np.arange(500) % 2
    covariates = dict.fromkeys(("hour", "fingerprint", "cache", "snapshot", "tokens"), levels)

    answers = associations(diverged, np.zeros(500, dtype=int), covariates)

    assert {answer.verdict for answer in answers} == {"insufficient (12 of ~100 divergences)"}
    assert all(answer.p_value is None for answer in answers)


def test_tallies_say_what_their_calls_say() -> None:
    rng = np.random.default_rng(3)
    case, level = np.divmod(np.arange(60), 3)
    calls = rng.integers(20, 60, 60)
    divergent = rng.binomial(calls, np.where(level == 2, 0.12, 0.04))
    one_by_one = np.concatenate([np.arange(n) < x for x, n in zip(divergent, calls, strict=True)])

    tallied = one(associations(divergent, case, {"hour": level}, calls))
    listed = one(
        associations(one_by_one, np.repeat(case, calls), {"hour": np.repeat(level, calls)})
    )

    assert tallied == listed
    assert tallied.verdict == "associated"


def test_calls_without_a_recorded_level_are_left_out() -> None:
    diverged, case = np.ones(300, dtype=bool), np.zeros(300, dtype=int)

    answer = one(associations(diverged, case, {"hour": np.full(300, -1)}))

    assert answer.divergences == 0


@pytest.mark.parametrize(
    ("odds_ratio", "needed"), [(1.5, [285, 444, 790]), (2, [98, 152, 271]), (3, [39, 61, 108])]
)
def test_the_published_numbers_of_divergences(odds_ratio: float, needed: list[int]) -> None:
    assert [divergences_needed(odds_ratio, share, 5) for share in (0.5, 0.2, 0.1)] == needed


def test_false_discoveries_are_excluded_as_the_paper_says() -> None:
    # R: p.adjust(c(.01, .04, .03, .005), "BH"): 0.02 0.04 0.04 0.02.
    p = [0.01, 0.04, 0.03, 0.005]

    assert false_discoveries_excluded(p, 0.05).tolist() == [True, True, True, True]
    assert false_discoveries_excluded(p, 0.03).tolist() == [True, False, False, True]
    assert false_discoveries_excluded([], 0.05).tolist() == []


def test_illegal_numbers_are_refused_with_their_value() -> None:
    with pytest.raises(ValueError, match=r"cases must have one entry per row, got \(2,\)"):
        associations([True], [0, 1], {})
    with pytest.raises(ValueError, match="odds_ratio must be above 1, got 1"):
        divergences_needed(1, 0.5)
    with pytest.raises(ValueError, match=r"exposure must lie in \(0, 1\), got 1"):
        divergences_needed(2, 1.0)
    with pytest.raises(ValueError, match="tests must be at least 1, got 0"):
        divergences_needed(2, 0.5, 0)
