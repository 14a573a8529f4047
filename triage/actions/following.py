"""Follow what was asked of the forge: attempts that end, and attempts that bring nothing."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from triage.models import RequestedAction, Run
from triage.publish.outbox import show_again
from triage.terms import ActionState, Button

# The longest that GitHub lets a job take on its own machines.
LONGEST_SILENCE = timedelta(hours=6)
WHAT_TO_DO = "look at its log, and re-run it by hand"


def wake(repository_id: int, ci_run_id: str) -> list[int]:
    """Return the re-runs that waited for the end of a workflow run, which are due now."""
    waiting = _reruns(repository_id, ci_run_id).filter(state=ActionState.WAITING)
    waiting.update(next_try_at=timezone.now())
    return list(waiting.values_list("pk", flat=True))


def note_empty_attempt(repository_id: int, ci_run_id: str, attempt: int) -> None:
    """Say of a re-run that its attempt ended without a report, so that nobody waits for one."""
    started = _unreported(_reruns(repository_id, ci_run_id)).filter(detail__attempt=attempt)
    for action in started.select_related("run"):
        _give_up(action, f"attempt {attempt} ended without a report; {WHAT_TO_DO}.")


def give_up_unheard(now: datetime) -> None:
    """Say of each re-run that was started long ago, and not heard of since, that nobody waits.

    The end of its workflow may never have been told; a check that waits for it blocks for ever.
    """
    reruns = RequestedAction.objects.filter(kind=Button.RERUN, acted_at__lt=now - LONGEST_SILENCE)
    for action in _unreported(reruns).select_related("run"):
        told = f"attempt {action.detail.get('attempt', '')}".strip()
        hours = LONGEST_SILENCE // timedelta(hours=1)
        _give_up(
            action, f"{told} had not been heard of {hours} hours after its start; {WHAT_TO_DO}."
        )


def _give_up(action: RequestedAction, answer: str) -> None:
    action.state, action.answer = ActionState.FAILED, answer
    action.save(update_fields=["state", "answer"])
    show_again(action.repository_id, action.run.sha)


def _unreported(reruns: QuerySet[RequestedAction]) -> QuerySet[RequestedAction]:
    """Return the re-runs that the forge has started and of which no report came."""
    later = Run.objects.filter(
        repository_id=OuterRef("run__repository_id"),
        sha=OuterRef("run__sha"),
        ci_run_id=OuterRef("run__ci_run_id"),
        attempt__gt=OuterRef("run__attempt"),
    )
    return reruns.filter(~Exists(later), state=ActionState.DONE)


def _reruns(repository_id: int, ci_run_id: str) -> QuerySet[RequestedAction]:
    return RequestedAction.objects.filter(
        repository_id=repository_id, run__ci_run_id=ci_run_id, kind=Button.RERUN
    )
