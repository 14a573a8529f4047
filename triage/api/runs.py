"""Read the verdict of a run, and say that all of it is there."""

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Router

from triage.api.parameters import FailOn
from triage.api.requests import read_run
from triage.api.responses import current_verdict, is_failing, reply
from triage.errors import NotFoundError, VerdictFailedError
from triage.models import Run, Token
from triage.pipeline import close_run
from triage.terms import RunEnd
from triage.upload.acceptance import find_or_create_run
from triage.upload.tokens import require_repository, require_scope
from triage.verdict.questions import attempts_of

router = Router(tags=["runs"])

HIGHEST_ID = 2**63 - 1
RunId = Annotated[int, Path(ge=1, le=HIGHEST_ID)]


# Before the address that takes a number: the first one that fits answers.
@router.post("/runs/complete", summary="Say that a run is complete", response={200: dict})
def complete_run(request: HttpRequest, fail_on: FailOn = "") -> HttpResponse:
    """Await no further part of a run, and answer with its verdict.

    Fields, in the query, a form or a JSON body: repo, sha, run_id, attempt; ref, branch, pr and
    base_sha where no report may have come. A part that was told of and never reported leaves the
    run provisional; a run without any report has no results. Saying it again changes nothing.
    """
    token: Token = request.auth  # type: ignore[attr-defined]
    require_scope(token, "upload")
    submission = read_run(request)
    require_repository(token, submission.repo)
    # The repeats of a second pass are further attempts, and it is the newest one that is awaited.
    run = attempts_of(find_or_create_run(submission)).attempts[-1]
    close_run(run.pk, RunEnd.TOLD, timezone.now())
    verdict = current_verdict(run)
    status = VerdictFailedError.status if is_failing(verdict.conclusion, fail_on) else 200
    return reply(request, verdict, status, {"status": "done"})


@router.get("/runs/{run_id}", summary="Read the verdict of a run", response={200: dict, 404: dict})
def read_verdict(request: HttpRequest, run_id: RunId) -> HttpResponse:
    """Return the verdict that holds for a run, as JSON or, with Accept: text/plain, as text."""
    token: Token = request.auth  # type: ignore[attr-defined]
    run = Run.objects.filter(pk=run_id, repository=token.repository).first()
    if run is None:
        raise NotFoundError(f"there is no run {run_id} in {token.repository.full_name}")
    return reply(request, current_verdict(run), 200, {"status": "done"})
