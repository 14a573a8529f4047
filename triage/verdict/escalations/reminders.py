"""Remind of open questions at half time and when they are due, and let them expire at last."""

from datetime import datetime, timedelta

from django.db import transaction

from triage.models import Escalation
from triage.terms import EscalationState, NotificationEvent
from triage.verdict.escalations.opening import tell

# An expired question still holds its runs; nobody is reminded of it any more.
EXPIRES_AFTER = timedelta(days=7)
HALF_TIME, DUE = 1, 2


def remind(now: datetime) -> int:
    """Send the reminders that are due and expire what is long overdue; return how many."""
    open_ones = Escalation.objects.filter(state=EscalationState.OPEN, due_at__isnull=False)
    moved = [_remind(each, now) for each in open_ones.select_related("case")]
    return sum(moved)


def _remind(escalation: Escalation, now: datetime) -> bool:
    due_at = escalation.due_at or now
    half = escalation.opened_at + (due_at - escalation.opened_at) / 2
    if now >= due_at + EXPIRES_AFTER:
        return _take(escalation, DUE + 1, EscalationState.EXPIRED)
    if now >= due_at:
        return _take(escalation, DUE, EscalationState.OPEN)
    if now >= half:
        return _take(escalation, HALF_TIME, EscalationState.OPEN)
    return False


def _take(escalation: Escalation, step: int, state: EscalationState) -> bool:
    """Note a step and tell it, unless another process has done so."""
    with transaction.atomic():
        taken = Escalation.objects.filter(
            pk=escalation.pk, state=EscalationState.OPEN, reminders__lt=step
        ).update(reminders=step, state=state)
        if taken:
            _tell(escalation, step, state)
    return bool(taken)


def _tell(escalation: Escalation, step: int, state: EscalationState) -> None:
    # A question that was deferred is reminded of anew for its new time.
    named = f"{step}:{escalation.due_at}"
    if state is EscalationState.EXPIRED:
        tell(escalation, NotificationEvent.ESCALATION_EXPIRED, "was not decided in time", named)
    elif step == DUE:
        tell(escalation, NotificationEvent.ESCALATION_DUE, "is due for a decision", named)
    else:
        tell(escalation, NotificationEvent.ESCALATION_DUE, "still waits for a decision", named)
