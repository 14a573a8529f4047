"""Write the tables of a repository as files, row by row, in memory that does not grow with them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

from triage.export.cells import csv_header, csv_line, json_value
from triage.export.columns import JSON, TABLES, ExportedTable

ROWS_AT_ONCE = 1_000
CSV_NOTE = (
    "UTF-8, comma, one header line. Texts are in quotes; numbers, times, true and false are not; "
    "an empty unquoted field is missing. A text that begins with = + - @ ' or a control character "
    "has one apostrophe before it: remove it when reading."
)
JSON_NOTE = "UTF-8, one JSON object per line (JSON Lines)."

Progress = Callable[[int], None]


def export(repository_id: int, folder: Path, kind: str, progress: Progress) -> dict[str, int]:
    """Write one file per table and a manifest; return the rows by table."""
    folder.mkdir(parents=True, exist_ok=True)
    write = {"csv": _write_csv, "json": _write_json}[kind]
    counts = {}
    for table in TABLES:
        with (folder / f"{table.name}.{kind}").open("w", encoding="utf-8", newline="") as file:
            counts[table.name] = write(file, table, _rows(table, repository_id), progress)
    _write_manifest(folder, kind, counts)
    return counts


def count(repository_id: int) -> int:
    """Return how many rows an export would have."""
    return sum(table.rows(repository_id).count() for table in TABLES)


def _rows(table: ExportedTable, repository_id: int) -> Iterator[tuple[Any, ...]]:
    rows = table.rows(repository_id).order_by("pk")
    fields = [column.field for column in table.columns]
    return rows.values_list(*fields).iterator(chunk_size=ROWS_AT_ONCE)


def _write_csv(
    file: TextIO, table: ExportedTable, rows: Iterator[tuple[Any, ...]], progress: Progress
) -> int:
    file.write(csv_header(column.name for column in table.columns))
    written = 0
    for row in rows:
        cells = zip(row, table.columns, strict=True)
        file.write(csv_line(_told(value, column.type) for value, column in cells))
        written += 1
        progress(1)
    return written


def _write_json(
    file: TextIO, table: ExportedTable, rows: Iterator[tuple[Any, ...]], progress: Progress
) -> int:
    names = [column.name for column in table.columns]
    written = 0
    for row in rows:
        told = dict(zip(names, map(json_value, row), strict=True))
        file.write(json.dumps(told, ensure_ascii=False) + "\n")
        written += 1
        progress(1)
    return written


def _told(value: Any, kind: str) -> Any:
    """Return JSON as the text that it is in a table."""
    return json.dumps(value, ensure_ascii=False) if kind == JSON and value is not None else value


def _write_manifest(folder: Path, kind: str, counts: dict[str, int]) -> None:
    tables = {
        table.name: {
            "file": f"{table.name}.{kind}",
            "rows": counts[table.name],
            "columns": [
                {"name": column.name, "type": column.type, "meaning": column.meaning}
                for column in table.columns
            ],
        }
        for table in TABLES
    }
    note = CSV_NOTE if kind == "csv" else JSON_NOTE
    text = json.dumps({"format": note, "tables": tables}, indent=2, ensure_ascii=False)
    (folder / "manifest.json").write_text(text + "\n", encoding="utf-8")
