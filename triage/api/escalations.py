"""Read the questions to people, and answer one."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Path, Query, Router, Schema, Status
from pydantic import AwareDatetime

from triage.api.application import ReadingToken
from triage.api.pages import PageNumber, PageSize, page_of, told
from triage.api.schemas import DecisionBody, EscalationBody, EscalationsPage
from triage.dispatch import after_decision
from triage.errors import NotFoundError
from triage.models import Decision, Escalation
from triage.terms import EscalationState
from triage.upload.callers import Caller, require_scope
from triage.verdict.escalations.deciding import Answer, decide, waiting_runs

router = Router(tags=["escalations"])

HIGHEST_ID = 2**63 - 1
EscalationId = Annotated[int, Path(ge=1, le=HIGHEST_ID, description="Number of the escalation.")]
Wanted = Annotated[
    Literal["", "open", "decided", "expired"], Query("", description="Those in one state only.")
]


class AnswerBody(Schema):
    """The answer to an escalation: uphold, accept_label, register_tie_break or defer."""

    kind: str
    why: str
    label: str = ""
    until: AwareDatetime | None = None


@router.get(
    "/escalations",
    auth=ReadingToken(),
    summary="List escalations, those due soonest first",
    response=EscalationsPage,
)
def list_escalations(
    request: HttpRequest, state: Wanted = "", page: PageNumber = 1, size: PageSize = 50
) -> dict[str, Any]:
    """Return the questions of the token's repository."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    found = Escalation.objects.filter(repository=caller.repository).select_related("case")
    if state:
        found = found.filter(state=EscalationState(state))
    listed = page_of(found.order_by("due_at", "pk"), page, size)
    return {
        **told(caller.repository, listed),
        "escalations": [_escalation(each) for each in listed],
    }


@router.get(
    "/escalations/{escalation_id}",
    auth=ReadingToken(),
    summary="Read an escalation",
    response=EscalationBody,
)
def read_escalation(request: HttpRequest, escalation_id: EscalationId) -> dict[str, Any]:
    """Return a question with its decisions and the runs that rest on it."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    found = _visible(caller, escalation_id)
    decisions = found.decisions.order_by("-at", "-pk")
    return {
        **_escalation(found),
        "decisions": [_decision(each) for each in decisions],
        "runs": waiting_runs(found),
    }


@router.post(
    "/escalations/{escalation_id}/decisions",
    summary="Decide an escalation",
    response={201: DecisionBody},
)
def create_decision(
    request: HttpRequest, escalation_id: EscalationId, body: AnswerBody
) -> Status[dict[str, Any]]:
    """Answer a question; the runs that wait for it are judged again."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    require_scope(caller, "decide")
    escalation = _visible(caller, escalation_id)
    answer = Answer(body.kind, body.why, body.label, body.until)
    decision = decide(escalation, answer, caller.name)
    after_decision(escalation.pk)
    return Status(201, _decision(decision))


def _visible(caller: Caller, escalation_id: int) -> Escalation:
    found = Escalation.objects.select_related("case").filter(
        pk=escalation_id, repository=caller.repository
    )
    escalation = found.first()
    if escalation is None:
        raise NotFoundError(
            f"there is no escalation {escalation_id} in {caller.repository.full_name}"
        )
    return escalation


def _escalation(each: Escalation) -> dict[str, Any]:
    return {
        "id": each.pk,
        "case_id": each.case_id,
        "case": each.case.title,
        "labels": [each.first_label, each.second_label],
        "state": each.state,
        "owner": each.owner,
        "opened_at": each.opened_at.isoformat(),
        "due_at": each.due_at.isoformat() if each.due_at else None,
    }


def _decision(each: Decision) -> dict[str, Any]:
    return {
        "id": each.pk,
        "kind": each.kind,
        "label": each.label or None,
        "until": each.until.isoformat() if each.until else None,
        "who": each.who,
        "why": each.why,
        "at": each.at.isoformat(),
        "evidence": each.evidence,
    }
