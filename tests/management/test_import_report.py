"""The import report on the command line."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

REPORT = (
    '<testsuite name="pytest"><testcase classname="c" name="t"><failure/></testcase></testsuite>'
)


def import_report(*paths: Path, **options: Any) -> str:
    """Run the command and return what it prints."""
    out = io.StringIO()
    call_command("import_report", *map(str, paths), stdout=out, **options)
    return out.getvalue()


def test_every_file_of_a_folder_is_accounted_for(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(REPORT)
    (tmp_path / "b.xml").write_text("")
    (tmp_path / "coverage.xml").write_text("<coverage/>")

    files = {each["file"]: each for each in json.loads(import_report(tmp_path, json=True))["files"]}

    assert set(files) == {"a.xml", "b.xml", "coverage.xml"}
    counts = ("tests", "passed", "failed", "errored", "skipped", "flaky_passed", "attempts")
    assert [files["a.xml"][name] for name in counts] == [1, 0, 1, 0, 0, 0, 1]
    assert files["a.xml"]["error"] is None
    assert (files["b.xml"]["kind"], files["b.xml"]["tests"]) == ("empty", None)
    assert files["coverage.xml"]["kind"] == "ignored"


def test_people_read_counts_warnings_and_refusals(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(REPORT.replace("/>", ">a & b</failure>", 1))
    (tmp_path / "b.json").write_text("{}")

    assert import_report(tmp_path).splitlines() == [
        "a.xml: pytest: 1 tests, 0 passed, 1 failed, 0 errored, 0 skipped, 0 flaky passed, "
        "1 attempts",
        "  warning: line 1: unescaped characters in text were escaped",
        "b.json: not read: this is JSON, not JUnit XML; choose the JUnit reporter of the test tool",
    ]


def test_status_2_says_that_nothing_could_be_read(tmp_path: Path) -> None:
    (tmp_path / "b.xml").write_text("")

    with pytest.raises(SystemExit) as stop:
        import_report(tmp_path)

    assert stop.value.code == 2


def test_a_file_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"none\.xml: cannot be read") as stop:
        import_report(tmp_path / "none.xml")

    assert stop.value.returncode == 2
