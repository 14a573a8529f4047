"""The uploads table as the outbox: who works on what, what is tried again, what is set aside."""

import logging
import random
import uuid
from datetime import timedelta

from django.db import InterfaceError, OperationalError
from django.db.models import F, Q
from django.utils import timezone

from triage.errors import UnavailableError
from triage.models import Upload
from triage.terms import OPEN_UPLOADS, UploadState

logger = logging.getLogger(__name__)

# Longer than the largest upload takes; a worker that is silent for longer is taken for dead.
LEASE = timedelta(minutes=5)
# An upload that killed its worker this often would kill the next one too.
MOST_TRIES = 5
# What passes by itself: the upload is not to blame, and is not counted a try.
TEMPORARY = (OperationalError, InterfaceError, UnavailableError, ConnectionError, TimeoutError)
FIRST_DELAY_S = 2.0
LONGEST_DELAY_S = 300.0


class WorkerLostError(Exception):
    """An upload seems to end the workers that begin with it."""


def lease(upload_id: uuid.UUID) -> None:
    """Own the work of an upload for a while.

    Raises ``WorkerLostError`` when that was done too often by workers that then fell silent.
    """
    waiting = Upload.objects.filter(pk=upload_id, state__in=OPEN_UPLOADS)
    if waiting.filter(attempts__gte=MOST_TRIES).exists():
        raise WorkerLostError(
            f"{MOST_TRIES} workers began with it and fell silent: killed, or out of memory"
        )
    waiting.update(leased_until=timezone.now() + LEASE, attempts=F("attempts") + 1)


def take_unowned() -> list[uuid.UUID]:
    """Return the uploads that nobody works on, and own them until they are sent for.

    Owning them keeps the next sweep from sending for all of a long queue again.
    """
    now = timezone.now()
    unowned = Upload.objects.filter(
        Q(leased_until__isnull=True) | Q(leased_until__lt=now), state__in=OPEN_UPLOADS
    )
    found = list(unowned.order_by("received_at").values_list("pk", flat=True))
    unowned.filter(pk__in=found).update(leased_until=now + LEASE)
    return found


def release(*upload_ids: uuid.UUID) -> None:
    """Give up owning these uploads, so that the next sweep takes them."""
    Upload.objects.filter(pk__in=upload_ids).update(leased_until=None)


def release_all() -> None:
    """Forget who owns what: for a start at which no other worker can be alive."""
    Upload.objects.filter(state__in=OPEN_UPLOADS).update(leased_until=None)


def note_failure(upload_id: uuid.UUID, error: Exception) -> UploadState | None:
    """Keep the reason with the upload; past the last try set it aside, so that others flow.

    Return the state that an upload was set aside in, ``None`` when it is tried again.
    """
    try:
        if not isinstance(error, TEMPORARY):
            return _note(upload_id, error)
        _note_temporary(upload_id, error)
    except TEMPORARY:
        # The database that failed the work cannot take the note of it either; the lease runs out.
        logger.warning("upload %s: its failure could not be noted", upload_id)
    return None


def retry(upload: Upload) -> None:
    """Begin again with an upload that was set aside."""
    is_recorded = bool(upload.reading)
    upload.state = UploadState.RECORDED if is_recorded else UploadState.RECEIVED
    upload.attempts, upload.leased_until, upload.error = 0, None, ""
    upload.save(update_fields=["state", "attempts", "leased_until", "error"])


def delay_s(tries: int) -> float:
    """Return the seconds before the next try: twice as long each time, and never all at once."""
    longest = min(FIRST_DELAY_S * 2 ** min(tries, 16), LONGEST_DELAY_S)
    return random.uniform(longest / 2, longest)  # noqa: S311


def _note_temporary(upload_id: uuid.UUID, error: Exception) -> None:
    Upload.objects.filter(pk=upload_id, state__in=OPEN_UPLOADS).update(
        error=_told(error),
        attempts=F("attempts") - 1,
        leased_until=timezone.now() + timedelta(seconds=LONGEST_DELAY_S),
    )


def _note(upload_id: uuid.UUID, error: Exception) -> UploadState | None:
    upload = Upload.objects.get(pk=upload_id)
    before = UploadState(upload.state)
    is_last = upload.attempts >= MOST_TRIES
    upload.error = _told(error)
    upload.leased_until = None
    upload.state = UploadState.DEAD if is_last else before
    upload.save(update_fields=["error", "leased_until", "state"])
    return before if is_last else None


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
