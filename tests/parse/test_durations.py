"""Seconds, in every locale that reporters write them."""

import pytest

from triage.parse.durations import read_seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1,234.56", 1234.56),
        ("0,123", 0.123),
        ("1.234,56", 1234.56),
        ("1 234,5", 1234.5),
        ("1,234", 1234.0),
        ("1,5", 1.5),
        ("1e-05", 1e-05),
        ("-0.01", 0.0),
        ("NaN", None),
        ("INF", None),
        ("", None),
        (None, None),
        ("3s", None),
        ("<<computed>>", None),
    ],
)
def test_a_duration_is_read_or_unknown_and_never_an_error(
    text: str | None, seconds: float | None
) -> None:
    assert read_seconds(text) == seconds
