"""Values as tools print them: colours off, quotes and escapes undone, structures taken apart."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from triage.parse.failure_messages.pairs import PairKind, Sides, StatedPair

# All spellings of a colour code that reporters leave behind, the bare one last.
COLOUR = re.compile(
    r"(?:\x1b|\ufffd|#x1B|\\x1b|\\u001b|\[NON-XML-CHAR-0x1B\])\[[0-9;]*m"
    r"|(?<![\w\]])\[(?:\d{1,2}(?:;\d{1,2})*)m"
)
# What all of them end with: found many times as fast, and most texts hold none.
COLOUR_END = re.compile(r"\[[0-9;]*m")
BLANK_LINES = re.compile(r"\n{3,}")
ELLIPSIS = re.compile(r"\.\.\.|…")
QUOTES = {"'": "'", '"': '"', "`": "`", "<": ">", "“": "”", "‘": "’", "«": "»"}
BYTES_OR_STRING_PREFIX = re.compile(r"^(?:b|u|r|std::string\(|string\(|\(string\) )(?=['\"])")
ESCAPE = re.compile(r"\\(.)")
ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
# Longer literals are text for people, not a record with a label in it.
LONGEST_LITERAL = 4_000
MOST_FIELDS = 50
# A field of a printed record: it follows an opening bracket or a comma.
RECORD_FIELD = re.compile(
    r"[{(\[,]\s*(?:[:\"'*\[]{0,2})([A-Za-z_]\w*)[\"'\]]{0,2}\s*(?:=>|:|=)\s*"
    r"(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[^,{}()\[\]]+?)\s*(?=[,})\]])"
)
ALTERNATIVE = re.compile(r"\bis \"([^\"]*)\"")


def plain(text: str) -> str:
    """Return a text without colours and runs of blank lines, with one kind of newline and space.

    A pattern that starts with space at the start of a line takes quadratic time on blank lines.
    """
    text = text.replace("\r\n", "\n").replace("\u00a0", " ")
    if COLOUR_END.search(text):
        text = COLOUR.sub("", text)
    lines = ("" if line.isspace() else line for line in text.split("\n"))
    return BLANK_LINES.sub("\n\n", "\n".join(lines))


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
    one, other = value_of(expected), value_of(observed)
    if one == other:
        # Only the space around them differs, which is a difference of form.
        one, other = expected, observed
    return StatedPair(one, other, sides, kind, is_truncated)


def pairs(expected: str, observed: str, sides: Sides = Sides.STATED) -> list[StatedPair]:
    """Return the pairs of two printed values: of records and lists one per part that differs.

    A label may be one field of what is compared, and only the parts show that it flipped.
    """
    first, second = literal(expected), literal(observed)
    parts = list(differing_parts(first, second, sides))[:MOST_FIELDS]
    return parts or _named_fields(expected, observed, sides) or [pair(expected, observed, sides)]


def members(text: str) -> tuple[str, ...]:
    """Return the strings of a printed collection; empty when it is none, or holds other things."""
    told = literal(text)
    if isinstance(told, list | tuple | set | frozenset) and told:
        return tuple(sorted(str(each) for each in told if isinstance(each, str)))
    return tuple(sorted(set(ALTERNATIVE.findall(text)))) if " or " in text else ()


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


def differing_parts(first: Any, second: Any, sides: Sides, path: str = "") -> Iterator[StatedPair]:
    """Yield a pair per part in which two records, lists or sets differ."""
    if isinstance(first, dict) and isinstance(second, dict):
        named = [(str(key), one, second.get(key, one)) for key, one in first.items()]
    elif isinstance(first, list | tuple) and isinstance(second, list | tuple):
        if len(first) != len(second):
            first, second = set(map(repr, first)), set(map(repr, second))
            yield from _only_member(first, second, sides)
            return
        named = [(str(index), *both) for index, both in enumerate(zip(first, second, strict=True))]
    elif isinstance(first, set) and isinstance(second, set):
        yield from _only_member(set(map(repr, first)), set(map(repr, second)), sides)
        return
    else:
        return
    for name, one, other in named:
        if one == other:
            continue
        inner = list(differing_parts(one, other, sides, f"{path}{name}."))
        yield from inner or [StatedPair(str(one), str(other), sides, field=f"{path}{name}")]


def _only_member(first: set[str], second: set[str], sides: Sides) -> Iterator[StatedPair]:
    """Yield the pair of two collections that differ by one member each."""
    one, other = first - second, second - first
    if len(one) == len(other) == 1:
        yield pair(one.pop(), other.pop(), sides)


def _named_fields(expected: str, observed: str, sides: Sides) -> list[StatedPair]:
    """Return the differing fields of records in any language's print: name, sign, value.

    Ruby's {:label=>"fraud"}, Rust's V { label: "fraud" }, Kotlin's V(label=fraud), Go's
    {Label:fraud}: the names must be the same in the same order, or it is no record.
    """
    if len(expected) > LONGEST_LITERAL or len(observed) > LONGEST_LITERAL:
        return []
    first, second = RECORD_FIELD.findall(expected), RECORD_FIELD.findall(observed)
    if not first or [name for name, _ in first] != [name for name, _ in second]:
        return []
    return [
        replace(pair(one, other, sides), field=name)
        for (name, one), (_, other) in zip(first, second, strict=True)
        if one != other
    ][:MOST_FIELDS]
