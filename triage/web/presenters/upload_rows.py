"""Uploads as rows of a list: how far each has come, what came, and what went wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

from triage.models import Upload
from triage.terms import UploadState
from triage.web.presenters.badges import UPLOADS, Badge

# The whole error stands on the upload's own page.
MOST_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class UploadRow:
    """One upload of a list."""

    upload: Upload
    badge: Badge
    is_dead: bool
    # Name of the token that it came with; empty without one.
    token: str
    files: int
    bytes: int
    # The first line of what ended the last try, cut for display.
    error: str


def upload_rows(uploads: Sequence[Upload]) -> list[UploadRow]:
    """Return the rows of uploads that are loaded with their tokens."""
    return [_row(each) for each in uploads]


def _row(upload: Upload) -> UploadRow:
    state = UploadState(upload.state)
    lines = upload.error.splitlines()
    return UploadRow(
        upload=upload,
        badge=UPLOADS[state],
        is_dead=state is UploadState.DEAD,
        token=upload.token.name if upload.token else "",
        files=len(upload.files),
        bytes=sum(file["bytes"] for file in upload.files),
        error=lines[0][:MOST_CHARACTERS] if lines else "",
    )
