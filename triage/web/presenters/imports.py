"""Uploads of a run: which files were read, and what was wrong with them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from triage.models import Upload
from triage.terms import UploadState

MOST_NOTES = 10


@dataclass(frozen=True, slots=True)
class ImportedUpload:
    """One upload with the notes of its import report."""

    pk: uuid.UUID
    part: str
    received_at: datetime
    state: str
    is_dead: bool
    error: str
    files: int
    tests: int
    notes: Sequence[str]
    notes_left_out: int


def imported_uploads(run_id: int) -> list[ImportedUpload]:
    """Return the uploads of a run, oldest first; one query."""
    uploads = Upload.objects.filter(run_id=run_id).select_related("part")
    loaded = uploads.only("state", "error", "reading", "received_at", "part__name")
    return [imported(each) for each in loaded.order_by("received_at", "pk")]


def imported(upload: Upload) -> ImportedUpload:
    """Return an upload as its run's page and its own show it."""
    files = upload.reading.get("files") or []
    notes = _notes(upload.reading)
    return ImportedUpload(
        pk=upload.pk,
        part=upload.part.name,
        received_at=upload.received_at,
        state=upload.state,
        is_dead=upload.state == UploadState.DEAD,
        error=upload.error,
        files=sum(not each.get("error") for each in files),
        tests=sum(each.get("tests") or 0 for each in files),
        notes=notes[:MOST_NOTES],
        notes_left_out=len(notes[MOST_NOTES:]),
    )


def _notes(reading: Mapping[str, Any]) -> list[str]:
    """Return what a person should know of an upload, the worst first."""
    files = reading.get("files") or []
    cut = [f"{each['file']}: cut off, INCOMPLETE" for each in files if each.get("incomplete")]
    unread = [each for each in files if each.get("error")]
    refused = [
        _located(each["file"], each.get("line"), f"refused: {each['error']}")
        for each in unread
        if each["kind"] != "ignored"
    ]
    warnings = [
        _located(each["file"], warning.get("line"), warning["message"])
        for each in files
        for warning in each.get("warnings") or []
    ]
    ignored = [
        f"{each['file']}: ignored: {each['error']}" for each in unread if each["kind"] == "ignored"
    ]
    return [*cut, *refused, *warnings, *ignored]


def _located(file: str, line: int | None, message: str) -> str:
    return f"{file}, line {line}: {message}" if line else f"{file}: {message}"
