"""Read the few fields that are needed: what GitHub sends deviates from its own schema."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

Body = Mapping[str, Any]


def at(body: Body, *names: str) -> Any:
    """Return what stands under a path of names; ``None`` where any of it is missing."""
    found: Any = body
    for name in names:
        if not isinstance(found, Mapping):
            return None
        found = found.get(name)
    return found


def time_at(body: Body, *names: str) -> datetime:
    """Return a time, which comes as ISO 8601 or as seconds; now, where there is none."""
    told = at(body, *names)
    if isinstance(told, int | float):
        return datetime.fromtimestamp(told, UTC)
    try:
        return datetime.fromisoformat(str(told))
    except ValueError:
        return datetime.now(UTC)
