"""Read the verdict of a run, and say that all of it is there."""

from typing import Annotated, Any

from django.conf import settings
from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from ninja import Path, Query, Router, Schema
from pydantic import Field

from triage.api.application import ReadingToken
from triage.api.pages import PageNumber, PageSize, page_of, told
from triage.api.parameters import FailOn
from triage.api.requests import read_run
from triage.api.responses import current_verdict, is_failing, reply
from triage.api.schemas import RunsPage, VerdictBody
from triage.errors import NotFoundError, VerdictFailedError
from triage.models import Run, Verdict
from triage.pipeline import close_run
from triage.terms import RunEnd
from triage.upload.acceptance import find_or_create_run
from triage.upload.callers import Caller, own_submission, require_scope
from triage.upload.heads import with_head
from triage.upload.submission import MAX_NUMBER
from triage.verdict.questions import attempts_of

router = Router(tags=["runs"])

HIGHEST_ID = 2**63 - 1
RunId = Annotated[int, Path(ge=1, le=HIGHEST_ID, description="Number of the run.")]


class RunFilters(Schema):
    """What a run must have to be listed."""

    sha: str = Field("", max_length=64, description="The whole commit id.")
    branch: str = Field("", max_length=255)
    pr: int | None = Field(None, ge=1, le=MAX_NUMBER, description="Number of the pull request.")
    run_id: str = Field("", max_length=200, description="The CI system's id of the run.")

    def conditions(self) -> dict[str, Any]:
        """Return the conditions on the rows; what is not asked for is none."""
        wanted = {"sha": self.sha, "branch": self.branch, "pr": self.pr, "ci_run_id": self.run_id}
        return {name: value for name, value in wanted.items() if value not in {"", None}}


# Before the address that takes a number: the first one that fits answers.
@router.post("/runs/complete", summary="Say that a run is complete", response=VerdictBody)
def complete_run(request: HttpRequest, fail_on: FailOn = "") -> HttpResponse:
    """Await no further part of a run, and answer with its verdict.

    Fields, in the query, a form or a JSON body: repo, sha, run_id, attempt; ref, branch, pr and
    base_sha where no report may have come. A part that was told of and never reported leaves the
    run provisional; a run without any report has no results. Saying it again changes nothing.
    """
    caller: Caller = request.auth  # type: ignore[attr-defined]
    require_scope(caller, "upload")
    submission = own_submission(caller, read_run(request))
    # The repeats of a second pass are further attempts, and it is the newest one that is awaited.
    run = attempts_of(find_or_create_run(with_head(submission))).attempts[-1]
    close_run(run.pk, RunEnd.TOLD, timezone.now())
    verdict = current_verdict(run)
    status = VerdictFailedError.status if is_failing(verdict.conclusion, fail_on) else 200
    return reply(request, verdict, status, {"status": "done"})


@router.get("/runs", auth=ReadingToken(), summary="List runs, the newest first", response=RunsPage)
def list_runs(
    request: HttpRequest,
    filters: Query[RunFilters],
    page: PageNumber = 1,
    size: PageSize = 50,
) -> dict[str, Any]:
    """Return the runs of the token's repository, those alone that all filters fit."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    runs = Run.objects.filter(repository=caller.repository, **filters.conditions())
    current = Verdict.objects.filter(run=OuterRef("pk"), is_current=True).values("conclusion")
    shown = runs.annotate(conclusion=Subquery(current[:1])).order_by("-at", "-pk")
    listed = page_of(shown, page, size)
    return {**told(caller.repository, listed), "runs": [_entry(each) for each in listed]}


@router.get(
    "/runs/{run_id}",
    auth=ReadingToken(),
    summary="Read the verdict of a run",
    response=VerdictBody,
)
def read_verdict(request: HttpRequest, run_id: RunId) -> HttpResponse:
    """Return the verdict that holds for a run, as JSON or, with Accept: text/plain, as text."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    run = Run.objects.filter(pk=run_id, repository=caller.repository).first()
    if run is None:
        raise NotFoundError(f"there is no run {run_id} in {caller.repository.full_name}")
    return reply(request, current_verdict(run), 200, {"status": "done"})


def _entry(run: Any) -> dict[str, Any]:
    """Return a run of the list, which was read with its conclusion."""
    return {
        "id": run.pk,
        "sha": run.sha,
        "run_id": run.ci_run_id,
        "attempt": run.attempt,
        "branch": run.branch,
        "pr": run.pr,
        "at": run.at,
        "conclusion": run.conclusion,
        "url": settings.TIEBREAK_URL + reverse("run", args=[run.pk]),
    }
