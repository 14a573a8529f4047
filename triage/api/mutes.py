"""Mute a case, and end its mute."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Path, Router, Schema, Status
from pydantic import AwareDatetime

from triage.api.schemas import MuteShown
from triage.errors import NotFoundError
from triage.models import Case, Mute
from triage.upload.callers import Caller, require_scope
from triage.verdict.muting import MuteRequest, end_mute, mute_case

router = Router(tags=["cases"])

HIGHEST_ID = 2**63 - 1
CaseId = Annotated[int, Path(ge=1, le=HIGHEST_ID, description="Number of the case.")]


class MuteBody(Schema):
    """Who answers for a muted case, why, and until when (at most 30 days)."""

    owner: str
    reason: str
    until: AwareDatetime


@router.post("/cases/{case_id}/mute", summary="Mute a case", response={201: MuteShown})
def create_mute(request: HttpRequest, case_id: CaseId, body: MuteBody) -> Status[dict[str, Any]]:
    """Let wording differences of a case not fail runs until a day. Label flips still block."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    require_scope(caller, "decide")
    asked = MuteRequest(body.owner, body.reason, body.until)
    mute = mute_case(_visible_case(caller, case_id), asked, caller.name)
    return Status(201, _shown(mute))


@router.delete("/cases/{case_id}/mute", summary="End a mute", response=MuteShown)
def delete_mute(request: HttpRequest, case_id: CaseId) -> dict[str, Any]:
    """End the mute of a case before its time."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    require_scope(caller, "decide")
    return _shown(end_mute(_visible_case(caller, case_id), caller.name))


def _visible_case(caller: Caller, case_id: int) -> Case:
    case = Case.objects.filter(pk=case_id, repository=caller.repository).first()
    if case is None:
        raise NotFoundError(f"there is no case {case_id} in {caller.repository.full_name}")
    return case


def _shown(mute: Mute) -> dict[str, datetime | int | str | None]:
    return {
        "case": mute.case.title,
        "case_id": mute.case_id,
        "owner": mute.owner,
        "reason": mute.reason,
        "created_at": mute.created_at,
        "created_by": mute.created_by,
        "until": mute.until,
        "ended_at": mute.ended_at,
        "ended_by": mute.ended_by,
    }
