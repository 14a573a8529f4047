"""Delete many rows in short transactions, so that nobody waits and a killed process loses nothing.

Every batch is found and deleted behind the lock of its repository, which writers of results hold
too: nothing can begin to need a row between the two.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from triage.models import Repository

BATCH = 500


@contextmanager
def locked(repository_id: int | None) -> Iterator[None]:
    """Hold the lock of a repository for one transaction; ``None`` is for rows of no repository."""
    with transaction.atomic():
        if repository_id is not None:
            list(Repository.objects.select_for_update().filter(pk=repository_id))
        yield


def delete_in_batches(
    find: Callable[[], QuerySet[Any]], repository_id: int | None
) -> Iterator[int]:
    """Delete what is found, yielding the rows of each batch once it is committed."""
    last: Any = None
    while True:
        with locked(repository_id):
            rows = find().order_by("pk")
            # Rows that stay are not looked at again.
            found = rows if last is None else rows.filter(pk__gt=last)
            batch = list(found.values_list("pk", flat=True)[:BATCH])
            if batch:
                find().model._default_manager.filter(pk__in=batch).delete()
        if not batch:
            return
        last = batch[-1]
        yield len(batch)
