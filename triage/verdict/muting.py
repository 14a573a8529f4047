"""Mute a case, end its mute, and say so when one ends by itself."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from triage.errors import InvalidRequestError, NotFoundError
from triage.models import Case, Mute, Repository
from triage.models.mutes import NAME_LENGTH, REASON_LENGTH
from triage.notifications.outbox import emit
from triage.terms import NotificationEvent
from triage.verdict.mutes import mute_cap, mutes_of

# Long enough to change a test or wait for a provider, too short to forget about it.
LONGEST = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class MuteRequest:
    """A mute as somebody asks for it."""

    owner: str
    reason: str
    until: datetime


def mute_case(case: Case, asked: MuteRequest, who: str) -> Mute:
    """Mute a case; raise ``InvalidRequestError`` saying what is not legal."""
    now = timezone.now()
    _check(case, asked, now)
    with transaction.atomic():
        Repository.objects.select_for_update().get(pk=case.repository_id)
        end_expired_mutes()
        _refuse_one_more(case, now)
        return Mute.objects.create(
            repository_id=case.repository_id,
            case=case,
            owner=asked.owner.strip(),
            reason=asked.reason.strip(),
            created_at=now,
            created_by=who,
            until=asked.until,
        )


def end_mute(case: Case, who: str) -> Mute:
    """End the mute of a case before its time; raise ``NotFoundError`` if there is none."""
    now = timezone.now()
    with transaction.atomic():
        open_mutes = Mute.objects.select_for_update().filter(case=case, ended_at__isnull=True)
        mute = open_mutes.filter(until__gt=now).first()
        if mute is None:
            raise NotFoundError(f"{case} is not muted")
        mute.ended_at, mute.ended_by = now, who
        mute.save(update_fields=["ended_at", "ended_by"])
    return mute


def end_expired_mutes() -> int:
    """Note the end of mutes whose time is over, and tell it; return how many there were."""
    over = Mute.objects.filter(ended_at__isnull=True, until__lte=timezone.now())
    ended = [mute for mute in over.select_related("case").order_by("until", "pk") if _expire(mute)]
    return len(ended)


def _expire(mute: Mute) -> bool:
    """End a mute at its time, unless another process has done so."""
    with transaction.atomic():
        open_mute = Mute.objects.filter(pk=mute.pk, ended_at__isnull=True)
        if not open_mute.update(ended_at=mute.until):
            return False
        event = NotificationEvent.MUTE_EXPIRED
        payload = {
            "headline": f"{mute.case} is no longer muted: its wording counts again",
            "url": f"{settings.TIEBREAK_URL}/cases/{mute.case_id}/",
            "owner": mute.owner,
            "reason": mute.reason,
            "until": mute.until,
        }
        emit(mute.repository_id, event, payload, key=f"{event}:{mute.pk}")
    return True


def _check(case: Case, asked: MuteRequest, now: datetime) -> None:
    if not case.is_llm:
        raise InvalidRequestError(
            f"{case} calls no LLM, so its wording does not vary by itself; fix what differs"
        )
    for name, value, longest in (
        ("owner", asked.owner, NAME_LENGTH),
        ("reason", asked.reason, REASON_LENGTH),
    ):
        if not 0 < len(value.strip()) <= longest or not value.isprintable():
            raise InvalidRequestError(
                f"{name} must have 1 to {longest} printable characters, got {value[:80]!r}"
            )
    if not now < asked.until <= now + LONGEST:
        raise InvalidRequestError(
            f"until must lie within the next {LONGEST.days} days, before "
            f"{now + LONGEST:%Y-%m-%d %H:%M} UTC, got {asked.until:%Y-%m-%d %H:%M}"
        )


def _refuse_one_more(case: Case, now: datetime) -> None:
    holding = mutes_of(case.repository_id, now)
    if case.pk in {mute.case_id for mute in holding}:
        raise InvalidRequestError(f"{case} is muted already; end that mute first")
    cap = mute_cap(case.repository_id, len(holding))
    if cap.is_reached:
        raise InvalidRequestError(f"no further case can be muted: {cap}; end another mute first")
