"""Open one question per ambiguous class, however many runs raise it."""

from collections.abc import Iterable

from django.conf import settings

from triage.models import Escalation
from triage.notifications.outbox import emit
from triage.terms import FindingKind, NotificationEvent
from triage.verdict.escalations.owners import owner_of
from triage.verdict.judgements import Judgement
from triage.verdict.questions import Question
from triage.verdict.rules import Ground
from triage.verdict.run_policy import RunPolicy
from triage.verdict.tie_breaks import TieBreak


def open_escalations(judgements: Iterable[Judgement], policy: RunPolicy) -> None:
    """Ask a person about every flip that nothing else can settle, once per class."""
    for each in judgements:
        if each.kind is FindingKind.NEAR_TIE and each.ground is Ground.OPEN:
            ask_person(each.question, each.tie_break, policy)


def ask_person(question: Question, tie_break: TieBreak, policy: RunPolicy) -> Escalation | None:
    """Return the question to a person about the class of a flip, asked if nobody has yet.

    ``None`` where the class is not known: without an epoch there is nothing to decide about.
    """
    result, flip = question.result, question.flips[0]
    first, second = sorted([flip.expected or "", flip.observed or ""])
    if result.epoch_id is None or first == second:
        return None
    escalation, is_new = Escalation.objects.get_or_create(
        case_id=result.case_id,
        epoch_id=result.epoch_id,
        first_label=first,
        second_label=second,
        defaults={
            "repository_id": result.repository_id,
            "opened_at": result.at,
            "owner": owner_of(result.case, tie_break, policy),
            "due_at": result.at + policy.due(tie_break),
        },
    )
    if is_new:
        tell(escalation, NotificationEvent.ESCALATION_OPENED, "asks for a decision")
    return escalation


def tell(escalation: Escalation, event: NotificationEvent, what: str, step: str = "") -> None:
    """Tell the repository's channels of an escalation, once per event and step."""
    pair = f"“{escalation.first_label}” or “{escalation.second_label}”"
    payload = {
        "headline": f"{escalation.case.title} {what}: {pair}",
        "details": [f"Asked: {escalation.owner or 'nobody by name'}"],
        "url": f"{settings.TIEBREAK_URL}/escalations/{escalation.pk}/",
        "owner": escalation.owner,
    }
    emit(escalation.repository_id, event, payload, key=f"{event}:{escalation.pk}:{step}")
