"""Database choices and checks made from the enums of ``terms``."""

from collections.abc import Iterable
from enum import StrEnum

from django.db.models import Q


def choices(words: type[StrEnum]) -> list[tuple[str, str]]:
    """Return Django choices for an enum of terms."""
    return [(word.value, word.value.replace("_", " ")) for word in words]


def is_one_of(field: str, words: Iterable[StrEnum]) -> Q:
    """Return the condition that a column holds one of these words."""
    return Q(**{f"{field}__in": [word.value for word in words]})
