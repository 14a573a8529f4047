"""Read the verdict of a run."""

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Path, Router

from triage.api.responses import current_verdict, reply
from triage.errors import NotFoundError
from triage.models import Run, Token

router = Router(tags=["runs"])

HIGHEST_ID = 2**63 - 1
RunId = Annotated[int, Path(ge=1, le=HIGHEST_ID)]


@router.get("/runs/{run_id}", summary="Read the verdict of a run", response={200: dict, 404: dict})
def read_run(request: HttpRequest, run_id: RunId) -> HttpResponse:
    """Return the verdict that holds for a run, as JSON or, with Accept: text/plain, as text."""
    token: Token = request.auth  # type: ignore[attr-defined]
    run = Run.objects.filter(pk=run_id, repository=token.repository).first()
    if run is None:
        raise NotFoundError(f"there is no run {run_id} in {token.repository.full_name}")
    return reply(request, current_verdict(run), 200, {"status": "done"})
