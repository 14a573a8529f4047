"""Fingerprint failures, so that the same one is known again in other cases and pull requests."""

import hashlib
import re
from dataclasses import dataclass

from triage.parse.failure_messages.values import plain
from triage.parse.report import Failure

# What differs between two occurrences of the same failure, masked from the longest to the shortest.
MASKS = (
    (re.compile(r"https?://\S+"), "URL"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I), "UUID"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.I), "ADDRESS"),
    (re.compile(r"(?:[A-Za-z]:)?(?:[\\/][\w.@+-]+){2,}"), "PATH"),
    (
        re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"),
        "TIME",
    ),
    (re.compile(r"\b(?:req|chatcmpl|msg|run|resp)[_-][A-Za-z0-9]{6,}\b"), "ID"),
    (re.compile(r"\b[0-9a-f]{12,}\b", re.I), "HASH"),
    (re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`[^`\n]*`|<[^<>\n]*>"), "VALUE"),
    (re.compile(r"\d+(?:\.\d+)?"), "N"),
)
SOURCE_LINE = re.compile(r"^>\s+(.+)$", re.M)
LONGEST_LINE = 300


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A failure with all that changes masked: its digest, SHA-256 in hex, and the masked line."""

    digest: str
    line: str


def fingerprint(failure: Failure) -> Fingerprint:
    """Return the fingerprint of a failure: exception type, first line and source line, masked."""
    text = plain(failure.message or failure.text)
    first = next((line.strip() for line in text.split("\n") if line.strip()), "")
    source = SOURCE_LINE.search(plain(failure.text))
    line = masked(first[:LONGEST_LINE])
    parts = (failure.type, line, masked(source[1].strip()) if source else "")
    return Fingerprint(hashlib.sha256("\0".join(parts).encode()).hexdigest(), line)


def masked(line: str) -> str:
    """Return a line with numbers, ids, paths, hashes and quoted values masked."""
    for pattern, mask in MASKS:
        line = pattern.sub(mask, line)
    return line
