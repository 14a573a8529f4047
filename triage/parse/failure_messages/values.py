"""Values as tools print them: colours off, quotes and escapes undone, structures taken apart."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from triage.parse.failure_messages.pairs import PairKind, Sides, StatedPair

# All spellings of a colour code that reporters leave behind, the bare one last.
COLOUR = re.compile(
    r"(?:\x1b|\ufffd|#x1B|\\x1b|\\u001b|\[NON-XML-CHAR-0x1B\])\[[0-9;]*m"
    r"|(?<![\w\]])\[(?:\d{1,2}(?:;\d{1,2})*)m"
)
ELLIPSIS = re.compile(r"\.\.\.|…")
QUOTES = {"'": "'", '"': '"', "`": "`", "<": ">", "“": "”", "‘": "’", "«": "»"}
BYTES_OR_STRING_PREFIX = re.compile(r"^(?:b|u|r|std::string\(|string\(|\(string\) )(?=['\"])")
ESCAPE = re.compile(r"\\(.)")
ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
# Longer literals are text for people, not a record with a label in it.
LONGEST_LITERAL = 4_000
MOST_FIELDS = 50


def plain(text: str) -> str:
    """Return a text without colours, with one kind of newline and one kind of space."""
    text = text.replace("\r\n", "\n").replace("\u00a0", " ")
    return COLOUR.sub("", text)


def value_of(text: str) -> str:
    """Return the value that a printed one stands for."""
    text = text.strip().rstrip(",;")
    text = BYTES_OR_STRING_PREFIX.sub("", text)
    if text.endswith(("'.", '".')):
        text = text[:-1]
    if len(text) >= 2 and QUOTES.get(text[0]) == text[-1]:
        return ESCAPE.sub(lambda match: ESCAPED.get(match[1], match[1]), text[1:-1])
    return text


def pair(
    expected: str,
    observed: str,
    sides: Sides = Sides.STATED,
    kind: PairKind = PairKind.EQUALITY,
) -> StatedPair:
    """Return the pair that two printed values make."""
    is_truncated = bool(ELLIPSIS.search(expected) or ELLIPSIS.search(observed))
    return StatedPair(value_of(expected), value_of(observed), sides, kind, is_truncated)


def pairs(expected: str, observed: str, sides: Sides = Sides.STATED) -> list[StatedPair]:
    """Return the pairs of two printed values: of records one per field that differs."""
    first, second = literal(expected), literal(observed)
    if isinstance(first, dict) and isinstance(second, dict):
        fields = list(_differing_fields(first, second, sides))
        if fields:
            return fields[:MOST_FIELDS]
    return [pair(expected, observed, sides)]


def literal(text: str) -> Any:
    """Return the record or list that a text prints, or ``None``."""
    text = text.strip()
    if len(text) > LONGEST_LITERAL or text[:1] not in "{[(":
        return None
    for read in (json.loads, ast.literal_eval, _object_literal):
        try:
            return read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            continue
    return None


def _object_literal(text: str) -> Any:
    """Read JavaScript's unquoted keys."""
    return json.loads(re.sub(r"([{,]\s*)([A-Za-z_]\w*)\s*:", r'\1"\2":', text.replace("'", '"')))


def _differing_fields(
    first: dict[Any, Any], second: dict[Any, Any], sides: Sides, path: str = ""
) -> Iterator[StatedPair]:
    for key, one in first.items():
        other = second.get(key, one)
        if one == other:
            continue
        name = f"{path}{key}"
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _differing_fields(one, other, sides, f"{name}.")
        else:
            yield StatedPair(str(one), str(other), sides, field=name)
