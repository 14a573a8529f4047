"""One step of pruning: what it counts and what it deletes in which table."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from triage.retention.batches import delete_in_batches


@dataclass(frozen=True, slots=True)
class Step:
    """Rows or files of one kind that are too old. ``batches`` yields how many went at a time."""

    table: str
    count: Callable[[], int]
    batches: Callable[[], Iterator[int]]


def rows_step(table: str, find: Callable[[], QuerySet[Any]], repository_id: int | None) -> Step:
    """Return the step that deletes what is found."""
    return Step(table, lambda: find().count(), lambda: delete_in_batches(find, repository_id))
