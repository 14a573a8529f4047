"""An export holds what the tables hold, and runs in no spreadsheet."""

import csv
import json
import tracemalloc
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.flows.suites import REPO, WORDING, CaseRun, history, suite, take
from triage.export.columns import TABLES
from triage.export.writing import export
from triage.models import Case, Repository

pytestmark = pytest.mark.django_db
FORMULA = "=HYPERLINK(1)"


def a_repository() -> Repository:
    """Return a repository with runs, one of them with a wording difference; another one beside."""
    history(3, runs=2)
    take(suite(3, CaseRun("test_ticket[1]", WORDING)), 3)
    take(suite(2, CaseRun("test_ticket[1]", WORDING)), 3, repo="acme/other")
    return Repository.objects.get(full_name=REPO)


def rows_in(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_table_has_as_many_rows_as_the_database(tmp_path: Path) -> None:
    repository = a_repository()

    call_command("export", REPO, "--format", "csv", "--out", str(tmp_path), stdout=StringIO())

    manifest = json.loads((tmp_path / "manifest.json").read_text())["tables"]
    for table in TABLES:
        rows = rows_in(tmp_path, table.name)
        assert len(rows) == table.rows(repository.pk).count() > 0, table.name
        assert manifest[table.name]["rows"] == len(rows)
        assert list(rows[0]) == [column["name"] for column in manifest[table.name]["columns"]]


def test_json_lines_hold_the_same_with_types_and_times_in_utc(tmp_path: Path) -> None:
    repository = a_repository()

    counts = export(repository.pk, tmp_path, "json", lambda _: None)

    runs = [json.loads(line) for line in (tmp_path / "runs.json").read_text().splitlines()]
    assert len(runs) == counts["runs"] == 3
    assert runs[0]["at"] == "2026-10-01T10:00:00.000000Z"
    assert runs[0]["is_reference"] is True
    assert runs[0]["pr"] is None
    assert datetime.fromisoformat(runs[0]["at"]).utcoffset() is not None
    verdict = json.loads((tmp_path / "verdicts.json").read_text().splitlines()[0])
    assert verdict["document"]["repo"] == REPO


@pytest.mark.parametrize("name", [FORMULA, "+1", "-1", "@x", "'quoted", 'a,"b"\nc', "3.5"])
def test_no_text_is_run_and_each_can_be_read_back(name: str, tmp_path: Path) -> None:
    repository = a_repository()
    Case.objects.filter(repository=repository).update(name=name)

    export(repository.pk, tmp_path, "csv", lambda _: None)

    for row in rows_in(tmp_path, "cases"):
        assert not row["name"].startswith(("=", "+", "-", "@"))
        assert row["name"].removeprefix("'") == name


def test_numbers_are_not_changed(tmp_path: Path) -> None:
    from budgets.models import Charge

    repository = a_repository()
    Charge.objects.filter(repository=repository).update(amount=-1)

    export(repository.pk, tmp_path, "csv", lambda _: None)

    assert {row["amount"] for row in rows_in(tmp_path, "charges")} == {"-1"}
    with (tmp_path / "charges.csv").open(newline="") as file:
        reader: Any = csv.reader(file, quoting=csv.QUOTE_ALL)
        assert next(reader)[0] == "id"


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    repository = Repository.objects.create(full_name=REPO)

    def peak(cases: range) -> int:
        Case.objects.bulk_create(
            Case(repository=repository, key=str(n), slot=n, name="x" * 500, title="y" * 500)
            for n in cases
        )
        tracemalloc.start()
        export(repository.pk, tmp_path, "csv", lambda _: None)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    few = peak(range(3_000))
    assert peak(range(3_000, 12_000)) < 1.5 * few
    assert few < 8 * 2**20


def test_a_folder_that_cannot_be_made_is_bad_input(tmp_path: Path) -> None:
    a_repository()
    (tmp_path / "file").touch()

    with pytest.raises(CommandError, match="cannot be written to"):
        call_command("export", REPO, "--out", str(tmp_path / "file"), stdout=StringIO())
