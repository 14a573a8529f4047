"""Periods of retention are read from the environment and checked there."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from triage.environment import read_environment


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("RETENTION_UPLOADS_DAYS", "-1", "tiebreak.E060 RETENTION_UPLOADS_DAYS='-1' is not legal"),
        ("RETENTION_TEXTS_DAYS", "a year", "tiebreak.E061"),
        ("RETENTION_RESULTS_DAYS", "30", "from 31 to 36500, since judging reads"),
        ("RETENTION_LEDGER_DAYS", "399", "from 400 to 36500, since a budget's window"),
        ("RETENTION_EVENTS_DAYS", "99999", "tiebreak.E064"),
        ("RETENTION_AUDIT_DAYS", "", "tiebreak.E065"),
    ],
)
def test_a_wrong_period_stops_the_start_and_says_what_is_legal(
    name: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(ImproperlyConfigured) as refused:
        read_environment()

    assert words in str(refused.value)
    assert "0, which keeps forever" in str(refused.value)


def test_zero_and_longer_periods_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETENTION_RESULTS_DAYS", "0")
    monkeypatch.setenv("RETENTION_LEDGER_DAYS", "1000")

    environment = read_environment()

    assert environment.RETENTION_RESULTS_DAYS == 0
    assert environment.RETENTION_LEDGER_DAYS == 1_000
