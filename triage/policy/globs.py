"""Patterns for cases: ``tests/evals/**``, ``tests/evals/test_refunds.py::*``, ``com.acme.*``.

The part before ``::`` is held against the folders and the file, where ``*`` stays within one name
and ``**`` crosses them; the part behind it against class and name, where ``*`` is anything. Names
come from CI and are hostile, so that no pattern may go back over what it has passed: a ``*`` takes
the first place where the rest of its name fits, which is right for patterns of this form and needs
a time that grows with the length of the name alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

SEPARATOR = "::"
ANY_DEPTH = "**"
NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Glob:
    """A compiled pattern. ``name`` is ``None`` where any name will do."""

    folders: tuple[re.Pattern[str] | None, ...]
    name: re.Pattern[str] | None

    def fits_path(self, path: str) -> bool:
        """Whether folders and file, or a dotted class, fit."""
        return _fits(self.folders, path.split("/"))

    def fits_name(self, name: str) -> bool:
        """Whether class and name fit."""
        return self.name is None or self.name.fullmatch(name) is not None


@lru_cache(maxsize=4096)
def compile_glob(pattern: str) -> Glob:
    """Compile a pattern; ``None`` among the folders stands for any number of them."""
    path, separator, name = pattern.partition(SEPARATOR)
    folders = tuple(
        None if part == ANY_DEPTH else _compile_part(part) for part in path.strip("/").split("/")
    )
    return Glob(folders, _compile_part(name) if separator and name.strip("*") else None)


def _compile_part(part: str) -> re.Pattern[str]:
    """Compile a pattern whose ``*`` cross nothing; atomic groups keep it from going back."""
    first, *pieces = re.sub(r"\*+", "*", part).split("*")
    if not pieces:
        return re.compile(_literal(first), re.DOTALL)
    *inner, last = pieces
    middle = "".join(f"(?>.*?{_literal(piece)})" for piece in inner)
    return re.compile(f"{_literal(first)}{middle}.*{_literal(last)}", re.DOTALL)


def _literal(piece: str) -> str:
    return "".join("." if character == "?" else re.escape(character) for character in piece)


def _fits(patterns: Sequence[re.Pattern[str] | None], parts: Sequence[str]) -> bool:
    """Whether folder patterns cover all parts; the last ``**`` alone is ever widened."""
    at_pattern = at_part = 0
    widened: tuple[int, int] | None = None
    while at_part < len(parts):
        pattern = patterns[at_pattern] if at_pattern < len(patterns) else NOTHING
        if pattern is None:
            widened = (at_pattern, at_part)
            at_pattern += 1
        elif pattern.fullmatch(parts[at_part]):
            at_pattern, at_part = at_pattern + 1, at_part + 1
        elif widened:
            widened = (widened[0], widened[1] + 1)
            at_pattern, at_part = widened[0] + 1, widened[1]
        else:
            return False
    return all(pattern is None for pattern in patterns[at_pattern:])
