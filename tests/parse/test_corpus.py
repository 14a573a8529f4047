"""Every real report gets the reading that its tool means."""

import csv
from pathlib import Path

import pytest

from triage.parse.archives import UploadedFile
from triage.parse.upload import read_upload

JUNIT = Path(__file__).parent.parent / "data" / "junit"
COUNTS = ("tests", "passed", "failed", "errored", "skipped", "flaky_passed", "attempts")


def manifest() -> list[dict[str, str]]:
    """Return the rows of the manifest."""
    with (JUNIT / "MANIFEST.csv").open(newline="") as file:
        return list(csv.DictReader(file))


ROWS = manifest()
READABLE = [row for row in ROWS if row["dialect_tests"]]
OTHERS = [row for row in ROWS if not row["dialect_tests"]]


def body_of(row: dict[str, str]) -> UploadedFile:
    """Return a file of the corpus."""
    return UploadedFile(row["file"], (JUNIT / "dev" / row["file"]).read_bytes())


@pytest.mark.parametrize("row", READABLE, ids=lambda row: row["file"])
def test_a_report_is_counted_as_its_tool_means_it(row: dict[str, str]) -> None:
    reading = read_upload([body_of(row)])

    (report,) = reading.reports
    counted = {name: getattr(report.totals, name) for name in COUNTS}
    assert counted == {name: int(row[f"dialect_{name}"]) for name in COUNTS}


@pytest.mark.parametrize("row", OTHERS, ids=lambda row: row["file"])
def test_what_is_no_junit_is_named_with_what_to_do(row: dict[str, str]) -> None:
    reading = read_upload([body_of(row)])

    assert reading.reports == []
    (refused,) = reading.refused
    assert ";" in refused.error or ":" in refused.error


def test_the_corpus_is_whole() -> None:
    assert (len(READABLE), len(OTHERS)) == (150, 20)
