"""Bring report files, and ask what became of them."""

import uuid
from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Path, Router

from triage.api.parameters import FailOn, Wait
from triage.api.requests import read_submission
from triage.api.responses import reply_pending, reply_with_verdict
from triage.api.schemas import PendingUpload, UploadVerdict
from triage.api.taking import take_in
from triage.errors import NotFoundError
from triage.models import Upload
from triage.terms import UploadState
from triage.upload.callers import Caller, require_scope
from triage.upload.waiting import wait_for

router = Router(tags=["uploads"])

UploadId = Annotated[uuid.UUID, Path(description="The id that the upload was answered with.")]


@router.post(
    "/uploads",
    summary="Upload report files",
    response={201: UploadVerdict, 200: UploadVerdict, 202: PendingUpload},
)
def create_upload(request: HttpRequest, wait: Wait = 0, fail_on: FailOn = "") -> HttpResponse:
    """Store report files and judge their run.

    Multipart fields: files (one or more), repo, sha, ref, branch, pr, base_sha, run_id, attempt,
    job, part (i/n), policy (.tiebreak.yml).
    Or the report, gzip or tar.gz as the body and the rest in the query.
    """
    caller: Caller = request.auth  # type: ignore[attr-defined]
    require_scope(caller, "upload")
    accepted = take_in(read_submission(request), caller, wait)
    return _reply(request, accepted.upload, fail_on, is_replay=accepted.is_replay)


@router.get(
    "/uploads/{uuid:upload_id}",
    summary="Read one upload",
    response={200: UploadVerdict, 202: PendingUpload},
)
def read_upload_state(
    request: HttpRequest, upload_id: UploadId, wait: Wait = 0, fail_on: FailOn = ""
) -> HttpResponse:
    """Return the verdict of an upload's run, or that it is still being worked on."""
    _visible(request, upload_id)
    return _reply(request, wait_for(upload_id, wait), fail_on, is_replay=True)


def _visible(request: HttpRequest, upload_id: uuid.UUID) -> None:
    caller: Caller = request.auth  # type: ignore[attr-defined]
    if not Upload.objects.filter(pk=upload_id, repository=caller.repository).exists():
        raise NotFoundError(f"there is no upload {upload_id} in {caller.repository.full_name}")


def _reply(request: HttpRequest, upload: Upload, fail_on: str, *, is_replay: bool) -> HttpResponse:
    if upload.state == UploadState.JUDGED:
        status = 200 if is_replay else 201
        response = reply_with_verdict(request, upload, fail_on, status, is_replay=is_replay)
    else:
        response = reply_pending(request, upload, is_replay=is_replay)
    response["Location"] = f"/api/v1/uploads/{upload.pk}"
    return response
