"""Write the tables of a repository as files, row by row, in memory that does not grow with them.

In CSV every text is in quotes and every number, time and truth is not, so that readers can tell a
text that looks like a number. Spreadsheets run a text that begins like a formula, quoted or not;
such a text, and one that begins with an apostrophe, gets an apostrophe before it, which a reader
takes off again. Numbers are not touched.
"""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TextIO

from triage.export.columns import JSON, TABLES, TEXT, ExportedTable

ROWS_AT_ONCE = 1_000
DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "'")
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
    # The csv module quotes all fields or those that need it, and cannot leave missing ones bare.
    file.write(",".join(_quoted(column.name) for column in table.columns) + "\r\n")
    written = 0
    for row in rows:
        cells = zip(row, table.columns, strict=True)
        file.write(",".join(_cell(value, column.type) for value, column in cells))
        file.write("\r\n")
        written += 1
        progress(1)
    return written


def _write_json(
    file: TextIO, table: ExportedTable, rows: Iterator[tuple[Any, ...]], progress: Progress
) -> int:
    names = [column.name for column in table.columns]
    written = 0
    for row in rows:
        told = dict(zip(names, map(_plain, row), strict=True))
        file.write(json.dumps(told, ensure_ascii=False) + "\n")
        written += 1
        progress(1)
    return written


def _cell(value: Any, kind: str) -> str:
    if value is None:
        return ""
    if kind == JSON:
        value = json.dumps(value, ensure_ascii=False)
    if kind in {TEXT, JSON}:
        return _quoted(f"'{value}" if value.startswith(DANGEROUS) else value)
    plain = _plain(value)
    return json.dumps(plain) if isinstance(plain, bool | int | float) else str(plain)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _plain(value: Any) -> Any:
    """Return times as ISO 8601 in UTC, everything else as it is."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else value


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
