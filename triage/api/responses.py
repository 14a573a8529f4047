"""Answers: the verdict as JSON or as text, with its transport beside it."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from triage.api.application import PLAIN_TEXT, prefers_text
from triage.errors import NotFoundError, PrunedError, VerdictFailedError
from triage.models import Run, Upload, Verdict
from triage.publish.text import UNPRINTABLE, verdict_text
from triage.terms import Conclusion, UploadState

REGRESSION = "regression"
# What lies beside reports and is not for us is left out and nothing is missed with it.
NOT_MISSED = ("ignored",)
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def current_verdict(run: Run) -> Verdict:
    """Return the verdict that holds for a run; raise ``NotFoundError`` before the first one."""
    verdict = Verdict.objects.filter(run=run, is_current=True).first()
    if verdict is None and run.pruned_at:
        raise PrunedError(f"the verdict of run {run.pk} was deleted on {run.pruned_at:%Y-%m-%d}")
    if verdict is None:
        raise NotFoundError(f"run {run.pk} has no verdict yet; ask again in a few seconds")
    return verdict


def reply_with_verdict(
    request: HttpRequest, upload: Upload, fail_on: str, status: int, *, is_replay: bool
) -> HttpResponse:
    """Answer with the verdict of an upload's run.

    A conclusion named in ``fail_on`` changes the status to 422 and nothing else, so that
    ``curl --fail-with-body`` alone can fail a job.
    """
    verdict = current_verdict(upload.run)
    if is_failing(verdict.conclusion, fail_on):
        status = VerdictFailedError.status
    extra = {"status": "done", "upload": upload_body(upload), "replayed": is_replay}
    return reply(request, verdict, status, extra)


def reply(
    request: HttpRequest, verdict: Verdict, status: int, extra: dict[str, Any]
) -> HttpResponse:
    """Answer with a verdict, as text where the client asks for it."""
    if prefers_text(request):
        told = verdict_text(verdict.document) + _unread_text(extra.get("upload", {}))
        response = HttpResponse(told, status=status, content_type=PLAIN_TEXT)
    else:
        response = JsonResponse(verdict.document | extra, status=status)
    response["X-Tiebreak-Verdict"] = verdict.conclusion
    return response


def reply_pending(request: HttpRequest, upload: Upload, *, is_replay: bool) -> HttpResponse:
    """Answer that the work has not come to its end."""
    is_dead = upload.state == UploadState.DEAD
    if prefers_text(request):
        why = f"could not be processed: {upload.error}" if is_dead else "is being worked on"
        told = f"The upload is stored and {why}\n{settings.TIEBREAK_URL}{_page(upload)}\n"
        return HttpResponse(told, status=202, content_type=PLAIN_TEXT)
    body = {
        "status": "failed" if is_dead else "pending",
        "exit_code": 0,
        "upload": upload_body(upload),
        "replayed": is_replay,
    }
    return JsonResponse(body, status=202)


def upload_body(upload: Upload) -> dict[str, Any]:
    """Return an upload as the API shows it, with its import report."""
    return {
        "id": str(upload.pk),
        "state": upload.state,
        "error": upload.error,
        "received_at": upload.received_at.isoformat(),
        "url": f"/api/v1/uploads/{upload.pk}",
        "reading": upload.reading,
        "is_partial": bool(_unread(upload.reading)),
        "unread": _unread(upload.reading),
    }


def _unread(reading: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the files that could not be read, each with its reason and line."""
    return [
        {name: file[name] for name in ("file", "kind", "error", "line")}
        for file in reading.get("files", ())
        if file["error"] and file["kind"] not in NOT_MISSED
    ]


def _unread_text(upload: Mapping[str, Any]) -> str:
    unread = upload.get("unread", ())
    lines = [f"! {file['file']} was not read: {file['error']}" for file in unread]
    return "".join(f"{UNPRINTABLE.sub(REPLACEMENT, line)}\n" for line in lines)


def _page(upload: Upload) -> str:
    return reverse("upload", args=[upload.pk])


def is_failing(conclusion: str, fail_on: str) -> bool:
    """Whether the caller named this conclusion as one that fails."""
    named = {name for name in fail_on.split(",") if name}
    return conclusion in named or (REGRESSION in named and conclusion == Conclusion.BLOCKED)
