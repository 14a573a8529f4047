"""Bytes to text, whatever encoding a report was written in and whatever it claims."""

import codecs
import re

from triage.parse.report import ReadWarning

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z][\w.-]{0,39})[\"']")
# What Windows tools write when they claim something else; it has a character for nearly every byte.
LAST_RESORT = "cp1252"


def decode(body: bytes) -> tuple[str, list[ReadWarning]]:
    """Return the text of a report: the byte order mark wins, then UTF-8, then the declaration."""
    for mark, encoding in BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, errors="replace"), []
    guessed = _utf16_without_mark(body)
    if guessed:
        return body.decode(guessed, errors="replace"), []
    try:
        return body.decode("utf-8"), []
    except UnicodeDecodeError as error:
        return _decode_declared(body, error)


def _utf16_without_mark(body: bytes) -> str | None:
    if body.startswith(b"<\0"):
        return "utf-16-le"
    return "utf-16-be" if body.startswith(b"\0<") else None


def _decode_declared(body: bytes, error: UnicodeDecodeError) -> tuple[str, list[ReadWarning]]:
    line = body.count(b"\n", 0, error.start) + 1
    match = DECLARED.match(body.lstrip()[:300])
    declared = match[1].decode("ascii").lower() if match else "utf-8"
    if declared not in {"utf-8", "utf8"} and _is_known(declared):
        encoding = LAST_RESORT if declared in {"iso-8859-1", "latin-1", "latin1"} else declared
        return body.decode(encoding, errors="replace"), []
    warning = ReadWarning("bytes that are not UTF-8 were replaced", line)
    return body.decode("utf-8", errors="replace"), [warning]


def _is_known(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding)._is_text_encoding
    except LookupError:
        return False
