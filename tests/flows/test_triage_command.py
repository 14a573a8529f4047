"""tiebreak triage: files in, verdict out, exit status for CI."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.flows.suites import FLIP, REPO, CaseRun, report, sha, suite
from triage.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def junit(tmp_path: Path) -> Path:
    """Return a report that passes."""
    path = tmp_path / "junit.xml"
    path.write_bytes(report(suite(3)))
    return path


def triage(*arguments: Any) -> tuple[int, str]:
    """Run the command; return its exit status and what it printed."""
    out = io.StringIO()
    try:
        call_command("triage", *map(str, arguments), stdout=out)
    except SystemExit as stop:
        return int(stop.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_a_passing_run_exits_with_0_and_says_so_in_the_first_line(junit: Path) -> None:
    status, text = triage(junit, "--repo", REPO, "--sha", sha(1))

    assert status == 0
    assert text.splitlines()[0] == "✅ Safe to merge: 3 tests, no failure"


def test_a_flip_exits_with_3_and_prints_the_plan_of_its_second_pass(junit: Path) -> None:
    junit.write_bytes(report(suite(3, CaseRun("test_ticket[1]", FLIP, "billing"))))

    status, text = triage(junit, "--repo", REPO, "--sha", sha(1), "--pr", 4)

    assert status == 3
    assert "NEAR_TIE  tests.evals.test_refunds::test_ticket[1]" in text
    assert "Second pass: repeat 1 case up to 3 times" in text


def test_json_is_the_verdict(junit: Path) -> None:
    _, text = triage(junit, "--repo", REPO, "--sha", sha(1), "--json")

    assert json.loads(text)["conclusion"] == "passed"


def test_history_can_be_replayed_with_its_own_times(junit: Path) -> None:
    triage(junit, "--repo", REPO, "--sha", sha(1), "--at", "2026-10-01T12:00:00+00:00")

    assert Run.objects.get().at.isoformat() == "2026-10-01T12:00:00+00:00"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sha", "main"], "sha must be a commit id"),
        (["--part", "5/4"], "part must be i/n"),
        (["--at", "2999-01-01T00:00:00Z"], "at must not lie in the future"),
        (["--at", "yesterday"], "must be an ISO 8601 time"),
        (["--attempt", "0"], "attempt must be a number from 1"),
    ],
)
def test_bad_input_exits_with_2_and_names_the_value(
    junit: Path, arguments: list[str], words: str
) -> None:
    given = {"--repo": REPO, "--sha": sha(1)} | dict(
        zip(arguments[::2], arguments[1::2], strict=True)
    )

    with pytest.raises(CommandError, match=words) as refused:
        triage(junit, *(each for pair in given.items() for each in pair))

    assert getattr(refused.value, "returncode", 2) in {1, 2}
    assert not Run.objects.exists()


def test_a_file_that_is_not_there_or_no_report_is_named(tmp_path: Path) -> None:
    page = tmp_path / "page.xml"
    page.write_text("<html><body>502</body></html>")

    for path, words in ((tmp_path / "gone.xml", "cannot be read"), (page, "an HTML page")):
        with pytest.raises(CommandError, match=words) as refused:
            triage(path, "--repo", REPO, "--sha", sha(1))
        assert refused.value.returncode == 2


def test_escape_sequences_of_a_report_do_not_reach_the_terminal(junit: Path) -> None:
    name = "test_ticket[\u202e1]"
    junit.write_bytes(report([CaseRun(name, "E   KeyError: '\x9b31m'", None)]))

    _, text = triage(junit, "--repo", REPO, "--sha", sha(1))

    assert "\x9b" not in text
    assert "\u202e" not in text
