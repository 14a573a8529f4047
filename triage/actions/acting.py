"""Do what was asked for: who asks is looked up on the forge first, and the answer is shown."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from triage.access.audit import note_for
from triage.access.forge_roles import may_press
from triage.actions.effects import EFFECTS, Effect, RefusedActionError
from triage.actions.rerunning import StillRunningError, rerun
from triage.models import Repository, RequestedAction, Verdict
from triage.notifications.backoff import wait_after
from triage.publish.check_run import buttons
from triage.publish.connections import Connection, connection_of
from triage.publish.forge import ForgeError, TemporaryForgeError, TokenForgeError
from triage.publish.outbox import newest_verdict, show_again
from triage.terms import ActionState, Button

LEASE = timedelta(minutes=3)
MOST_TRIES = 12
# The end of a workflow is told by the forge; this is for the message that was lost.
LOOK_AGAIN = timedelta(minutes=10)
Judge = Callable[[int], None]


def due_actions() -> list[int]:
    """Return what was asked for and nobody does, the oldest first."""
    now = timezone.now()
    due = RequestedAction.objects.filter(_unowned(now), state=ActionState.WAITING)
    due = due.filter(next_try_at__lte=now).order_by("next_try_at", "pk")
    return list(due.values_list("pk", flat=True))


def act(action_id: int, judge: Judge) -> None:
    """Do what was asked for, or note when to try again. ``judge`` judges a run again."""
    if not _lease(action_id):
        return
    action = RequestedAction.objects.select_related("run", "repository").get(pk=action_id)
    try:
        _act(action, judge)
    except RefusedActionError as error:
        _end(action, ActionState.REFUSED, Effect(str(error)), judge)
    except StillRunningError:
        _wait(action, timezone.now() + LOOK_AGAIN)
    except TemporaryForgeError as error:
        _postpone(action, error, judge)
    except TokenForgeError as error:
        _postpone(action, TemporaryForgeError(str(error)), judge)
    except ForgeError as error:
        _end(action, ActionState.FAILED, Effect(f"{error}."), judge)


def _act(action: RequestedAction, judge: Judge) -> None:
    connection = connection_of(action.repository_id)
    verdict = newest_verdict(action.run)
    if connection is None or verdict is None:
        _end(action, ActionState.DROPPED, Effect("nothing is shown there any more."), judge)
        return
    kind = Button(action.kind)
    if action.who:
        _refuse_stranger(action, connection)
    if kind not in buttons(verdict.document):
        _end(action, *_no_longer(action, verdict), judge)
    elif kind is Button.RERUN:
        _end(action, ActionState.DONE, rerun(verdict.run, connection), judge)
    else:
        with transaction.atomic():
            Repository.objects.select_for_update().get(pk=action.repository_id)
            _end(action, ActionState.DONE, EFFECTS[kind](action, verdict), judge)


def _refuse_stranger(action: RequestedAction, connection: Connection) -> None:
    """Let only who may write to the repository decide anything about it."""
    permission = connection.renewing(lambda: connection.forge().permission_of(action.who))
    if not may_press(permission):
        raise RefusedActionError(
            f"this takes write access to {connection.full_name}; {action.asked_by} has "
            f"{permission} access"
        )


def _no_longer(action: RequestedAction, verdict: Verdict) -> tuple[ActionState, Effect]:
    """Return what becomes of something that the verdict does not offer, or no longer."""
    if not action.who:
        return ActionState.DROPPED, Effect("the verdict is settled.")
    told = verdict.document["headline"]["text"]
    return ActionState.REFUSED, Effect(f"the verdict does not offer this: {told}.")


def _end(action: RequestedAction, state: ActionState, effect: Effect, judge: Judge) -> None:
    """Keep what became of it, with an entry in the log of changes, and show it."""
    with transaction.atomic():
        action.state, action.answer, action.detail = state, effect.answer, effect.detail
        action.acted_at, action.leased_until = timezone.now(), None
        action.save(update_fields=["state", "answer", "detail", "acted_at", "leased_until"])
        note_for(
            action.asked_by,
            f"check_{action.kind}",
            action.repository,
            str(action.run),
            state=state.value,
            answer=effect.answer,
            **effect.detail,
        )
        for run_id in effect.judged_again:
            judge(run_id)
        show_again(action.repository_id, action.run.sha)


def _postpone(action: RequestedAction, error: TemporaryForgeError, judge: Judge) -> None:
    if action.attempts >= MOST_TRIES:
        told = Effect(f"{error}; tried {MOST_TRIES} times.")
        _end(action, ActionState.FAILED, told, judge)
        return
    until = timezone.now() + wait_after(action.attempts, error.retry_after)
    RequestedAction.objects.filter(pk=action.pk).update(next_try_at=until, leased_until=None)


def _wait(action: RequestedAction, until: datetime) -> None:
    """Give the work back: waiting for the forge is no try."""
    RequestedAction.objects.filter(pk=action.pk).update(
        next_try_at=until, leased_until=None, attempts=F("attempts") - 1
    )


def _lease(action_id: int) -> bool:
    now = timezone.now()
    free = RequestedAction.objects.filter(
        _unowned(now), pk=action_id, state=ActionState.WAITING, next_try_at__lte=now
    )
    return bool(free.update(leased_until=now + LEASE, attempts=F("attempts") + 1))


def _unowned(now: datetime) -> Q:
    return Q(leased_until__isnull=True) | Q(leased_until__lt=now)
