"""Numbers that are no counts and no rates."""

import numpy as np
import pytest

from budgets.checks import as_counts, as_rate, check_confidence


def test_the_pair_that_is_wrong_is_the_one_that_is_shown() -> None:
    with pytest.raises(ValueError, match="divergent calls must not exceed calls, got 7 of 5"):
        as_counts([1, 7, 2], [9, 5, 9])
    with pytest.raises(ValueError, match="got 3 of 2"):
        as_counts([1, 3], 2)


def test_what_is_not_a_number_is_neither_a_count_nor_a_rate() -> None:
    with pytest.raises(ValueError, match="counts must not be negative, got nan"):
        as_counts(np.nan, 3)
    with pytest.raises(ValueError, match=r"rate must lie in \[0, 1\], got nan"):
        as_rate(np.nan)


def test_the_ends_are_rates_unless_they_are_asked_to_be_open() -> None:
    assert as_rate([0.0, 1.0]).tolist() == [0.0, 1.0]
    with pytest.raises(ValueError, match=r"rate must lie in \(0, 1\), got 1"):
        as_rate([0.5, 1.0], is_open=True)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5])
def test_certainty_is_no_confidence(confidence: float) -> None:
    with pytest.raises(ValueError, match=r"confidence must lie in \(0, 1\), got"):
        check_confidence(confidence)
