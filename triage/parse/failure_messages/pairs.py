"""A stated pair of values, and how sure it is which of them was expected."""

from dataclasses import dataclass
from enum import StrEnum


class Sides(StrEnum):
    """How sure it is which value was expected."""

    STATED = "stated"  # the tool's own words say so
    CONVENTION = "convention"  # most people write it this way round
    UNKNOWN = "unknown"  # the text holds two values and no more


class PairKind(StrEnum):
    """How the two values were compared."""

    EQUALITY = "equality"
    MEMBERSHIP = "membership"
    COMPARISON = "comparison"
    PATTERN = "pattern"


@dataclass(frozen=True, slots=True)
class StatedPair:
    """Expected and observed value, quotes and escapes undone.

    ``field`` names the field of a structured value that the pair was found in.
    """

    expected: str
    observed: str
    sides: Sides = Sides.STATED
    kind: PairKind = PairKind.EQUALITY
    is_truncated: bool = False
    field: str = ""
