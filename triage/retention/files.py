"""Raw files of uploads: those that are too old, and all of a repository."""

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from django.db.models import Q

from triage.models import Repository, Upload
from triage.record.storage import upload_storage
from triage.retention.batches import BATCH, locked
from triage.retention.steps import Step
from triage.terms import OPEN_UPLOADS

FOLDER = re.compile(r"[0-9a-f]{2}")
DIGEST = re.compile(r"[0-9a-f]{64}")


def files_step(repository: Repository, cutoff: datetime) -> Step:
    """Return the step that deletes files which no recent or open upload refers to."""

    def count() -> int:
        needed = _needed(repository, cutoff)
        return sum(name not in needed for name in _old_files(repository, cutoff))

    return Step("files", count, lambda: _delete_old(repository, cutoff))


def stored_files(full_name: str) -> Iterator[str]:
    """Yield the names of a repository's files.

    Folders of another repository may lie beneath, as those of a/b/c do beneath a/b.
    """
    for folder in filter(FOLDER.fullmatch, _listed(full_name)[0]):
        for digest in filter(DIGEST.fullmatch, _listed(f"{full_name}/{folder}")[1]):
            if digest.startswith(folder):
                yield f"{full_name}/{folder}/{digest}"


def delete_files(full_name: str) -> Iterator[int]:
    """Delete all files of a repository."""
    for name in list(stored_files(full_name)):
        upload_storage().delete(name)
        yield 1


def _listed(path: str) -> tuple[list[str], list[str]]:
    try:
        return upload_storage().listdir(path)
    except FileNotFoundError:
        return [], []


def _old_files(repository: Repository, cutoff: datetime) -> Iterator[str]:
    storage = upload_storage()
    for name in stored_files(repository.full_name):
        try:
            if storage.get_modified_time(name) < cutoff:
                yield name
        except FileNotFoundError:
            # Another process prunes as well.
            continue


def _needed(repository: Repository, cutoff: datetime) -> set[str]:
    uploads = Upload.objects.filter(
        Q(received_at__gte=cutoff) | Q(state__in=OPEN_UPLOADS), repository=repository
    )
    files = uploads.values_list("files", flat=True).iterator()
    return {file["stored_as"] for each in files for file in each}


def _delete_old(repository: Repository, cutoff: datetime) -> Iterator[int]:
    names = _old_files(repository, cutoff)
    while batch := list(islice(names, BATCH)):
        with locked(repository.pk):
            needed = _needed(repository, cutoff)
            unneeded = [name for name in batch if name not in needed]
            for name in unneeded:
                upload_storage().delete(name)
        yield len(unneeded)
