"""How values are written for other tools.

In CSV every text is in quotes and every number, time and truth is not, so that readers can tell a
text that looks like a number. Spreadsheets run a text that begins like a formula, quoted or not;
such a text, and one that begins with an apostrophe, gets an apostrophe before it, which a reader
takes off again. Numbers are not touched.
"""

import json
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def csv_line(values: Iterable[Any]) -> str:
    """Return a line of CSV with its end; a missing value is an empty field without quotes."""
    # The csv module quotes all fields or those that need it, and cannot leave missing ones bare.
    return ",".join(map(_cell, values)) + "\r\n"


def csv_header(names: Iterable[str]) -> str:
    """Return the first line of CSV."""
    return ",".join(map(_quoted, names)) + "\r\n"


def json_value(value: Any) -> Any:
    """Return times as ISO 8601 in UTC, everything else as it is."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _quoted(f"'{value}" if value.startswith(DANGEROUS) else value)
    plain = json_value(value)
    return json.dumps(plain) if isinstance(plain, bool | int | float) else str(plain)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
