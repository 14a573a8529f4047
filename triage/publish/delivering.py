"""Deliver a publication: one at a time per subject, looked up before it is made, paced."""

import hashlib
import json
from dataclasses import asdict
from datetime import datetime, timedelta

from django.db.models import F, Q
from django.db.models.functions import Greatest
from django.utils import timezone

from triage.models import Publication, PullRequest
from triage.notifications.backoff import wait_after
from triage.publish.check_run import CheckRun
from triage.publish.contents import check_of, comment_of
from triage.publish.forge import (
    ForgeError,
    GoneForgeError,
    Shown,
    TemporaryForgeError,
    TokenForgeError,
)
from triage.publish.keys import key_of
from triage.publish.pacing import pause, take_turn
from triage.publish.publishers import Publisher, publisher_of
from triage.terms import PublicationKind, PublicationState

# Longer than all requests of one delivery may take: whoever is silent for longer is dead.
LEASE = timedelta(minutes=3)
MOST_TRIES = 12
# Until a person has entered another token; the forge may take this one again by itself.
LOOK_AGAIN = timedelta(days=1)


def due_publications() -> list[int]:
    """Return the publications that wait and that nobody delivers, the oldest first."""
    now = timezone.now()
    due = Publication.objects.filter(state=PublicationState.WAITING, next_try_at__lte=now)
    return list(due.filter(_unowned(now)).order_by("next_try_at").values_list("pk", flat=True))


def deliver(publication_id: int) -> None:
    """Bring a forge up to date with what is wanted, or note when to try again."""
    if not _lease(publication_id):
        return
    publication = Publication.objects.select_related("wanted__run", "repository").get(
        pk=publication_id
    )
    publisher = publisher_of(publication.repository_id)
    if publisher is None:
        gone = "nothing publishes here: the App is not installed, or publishing was turned off"
        _end(publication, PublicationState.DROPPED, gone)
        return
    try:
        _deliver(publication, publisher)
    except TemporaryForgeError as error:
        _postpone(publication, publisher, error)
    except TokenForgeError as error:
        _hold(publication, f"{error}; {publisher.remedy}, and this is sent")
    except GoneForgeError as error:
        _end(publication, PublicationState.DROPPED, str(error))
    except ForgeError as error:
        _end(publication, PublicationState.FAILED, str(error))


def _deliver(publication: Publication, publisher: Publisher) -> None:
    if _head_moved(publication):
        _end(publication, PublicationState.DROPPED, "the pull request has a newer head")
        return
    free_at = take_turn(publisher.paced, PublicationKind(publication.kind), publisher.pauses)
    if free_at is not None:
        _release(publication, free_at)
        return
    if publication.kind == PublicationKind.CHECK:
        _deliver_check(publication, publisher, check_of(publication))
    else:
        _deliver_comment(publication, publisher, comment_of(publication))


def _deliver_check(publication: Publication, publisher: Publisher, check: CheckRun) -> None:
    digest = _digest(json.dumps(asdict(check), sort_keys=True))
    if digest != publication.sent_digest:
        key = key_of(publication)
        shown = publisher.show(lambda forge: forge.set_check(publication.subject, key, check))
        _finish(publication, shown, digest)
    else:
        _end(publication, PublicationState.DONE, "")


def _deliver_comment(publication: Publication, publisher: Publisher, body: str) -> None:
    digest = _digest(body)
    if digest != publication.sent_digest:
        number, known = int(publication.subject), publication.remote_id
        shown = publisher.show(lambda forge: forge.set_comment(number, body, known))
        _finish(publication, shown, digest)
    else:
        _end(publication, PublicationState.DONE, "")


def _head_moved(publication: Publication) -> bool:
    """Whether a comment would speak of a commit that the pull request has left behind."""
    if publication.kind != PublicationKind.COMMENT or publication.wanted is None:
        return False
    head = PullRequest.objects.filter(
        repository_id=publication.repository_id, number=int(publication.subject)
    ).first()
    return head is not None and head.head_sha != publication.wanted.run.sha


def _finish(publication: Publication, shown: Shown, digest: str) -> None:
    publication.remote_id, publication.sent_digest = shown.remote_id, digest
    publication.save(update_fields=["remote_id", "sent_digest"])
    _end(publication, PublicationState.DONE, "")


def _end(publication: Publication, state: PublicationState, error: str) -> None:
    """End the work, unless something was asked for in the meantime: then the next one goes on."""
    same = Publication.objects.filter(pk=publication.pk, changed_at=publication.changed_at)
    if not same.update(state=state, error=error, leased_until=None):
        _release(publication, timezone.now())


def _postpone(publication: Publication, publisher: Publisher, error: TemporaryForgeError) -> None:
    if publication.attempts >= MOST_TRIES:
        _end(publication, PublicationState.FAILED, f"{error}; tried {MOST_TRIES} times")
        return
    until = timezone.now() + wait_after(publication.attempts, error.retry_after)
    if error.retry_after:
        pause(publisher.paced, until)
    Publication.objects.filter(pk=publication.pk).update(
        next_try_at=until, leased_until=None, error=str(error)
    )


def _hold(publication: Publication, error: str) -> None:
    """Keep what waits for a person, however long that takes: no try of it counts."""
    Publication.objects.filter(pk=publication.pk).update(
        next_try_at=timezone.now() + LOOK_AGAIN, leased_until=None, attempts=0, error=error
    )


def _lease(publication_id: int) -> bool:
    now = timezone.now()
    free = Publication.objects.filter(_unowned(now), pk=publication_id)
    return bool(
        free.filter(state=PublicationState.WAITING, next_try_at__lte=now).update(
            leased_until=now + LEASE, attempts=F("attempts") + 1
        )
    )


def _release(publication: Publication, next_try_at: datetime) -> None:
    """Give the work back: waiting for a turn is no try, nor is what nobody wants any more."""
    Publication.objects.filter(pk=publication.pk).update(
        leased_until=None,
        next_try_at=next_try_at,
        # A change of what is wanted has begun to count anew.
        attempts=Greatest(F("attempts") - 1, 0),
    )


def _unowned(now: datetime) -> Q:
    return Q(leased_until__isnull=True) | Q(leased_until__lt=now)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
