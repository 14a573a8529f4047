"""An upload whose file is gone from the storage."""

from collections.abc import Sequence

import pytest

from tests.flows.suites import REPO
from triage import outbox, pipeline
from triage.models import Upload
from triage.parse.archives import UploadedFile
from triage.record.storage import upload_storage
from triage.upload.acceptance import accept
from triage.upload.submission import Submission


def lost_upload(sha: str, files: Sequence[UploadedFile]) -> Upload:
    """Return an upload whose file was lost, and that was tried until it was set aside."""
    upload = accept(Submission(repo=REPO, sha=sha, files=tuple(files))).upload
    for file in upload.files:
        upload_storage().delete(file["stored_as"])
    for _ in range(outbox.MOST_TRIES):
        with pytest.raises(FileNotFoundError):
            pipeline.process(upload.pk)
    return upload
