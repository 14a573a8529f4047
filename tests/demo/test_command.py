"""``tiebreak demo``: what it says of the pull request, by the real rules, and what it refuses."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from triage.models import Run, Verdict


def findings(document: dict[str, list[dict[str, str]]]) -> list[tuple[str, str]]:
    return [(each["finding"], each["case"].partition("::")[2]) for each in document["findings"]]


@pytest.mark.django_db
def test_the_pull_request_is_held_and_then_blocked_by_the_planted_regression_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DEMO_SERVE", "0")
    # The tests' database is not the demo's to remove.
    monkeypatch.setattr("triage.management.commands.demo._start_clean", lambda: None)

    call_command("demo")

    first, final = Run.objects.filter(pr=42).order_by("attempt")
    held = Verdict.objects.get(run=first, revision=1).document
    blocked = Verdict.objects.get(run=final, is_current=True).document
    assert held["conclusion"] == "on_hold"
    assert [each["repeats"] for each in held["second_pass"]["cases"]] == [3, 3, 3]
    assert blocked["conclusion"] == "blocked"
    assert findings(blocked) == [
        ("label_regression", "test_sentence[test028-17]"),
        ("near_tie", "test_sentence[test033-13]"),
        ("settled_tie", "test_sentence[test018-35]"),
        ("expected_flake", "test_answer[logical_deduction-162]"),
        ("expected_flake", "test_answer[navigate-94]"),
    ]
    printed = capsys.readouterr()
    assert "One thing is planted" in printed.out
    assert "First attempt: On hold: 3 near ties, 2 expected flakes" in printed.out
    assert printed.out.splitlines()[-1] == f"http://127.0.0.1:8000/runs/{final.pk}/"
    assert "Replaying 30 recorded runs" in printed.err
    assert Run.objects.count() == 32


def test_a_database_elsewhere_is_refused(tmp_path: Path) -> None:
    elsewhere = SimpleNamespace(TIEBREAK_DATA_DIR=tmp_path)

    with (
        override_settings(ENVIRONMENT=elsewhere),
        pytest.raises(CommandError, match="unset DATABASE_URL for the demo") as refused,
    ):
        call_command("demo")

    assert refused.value.returncode == 2
