"""The order of the steps, on one page: an upload is recorded, then its run is judged.

Each step is one transaction that ends by noting how far the upload has come, so that a process
killed anywhere leaves work that is either done or begun again, never half done or done twice.
"""

import logging
import uuid
from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from triage.logs import belonging_to
from triage.models import Escalation, Repository, Run, Upload
from triage.parse.import_report import import_report
from triage.parse.upload import read_upload
from triage.publish.outbox import want_newest_verdict
from triage.record.recorder import record
from triage.record.storage import read_stored
from triage.terms import UploadState
from triage.verdict.escalations.deciding import waiting_runs
from triage.verdict.judge import judge

logger = logging.getLogger(__name__)

OPEN_STATES = (UploadState.RECEIVED, UploadState.RECORDED)
# Longer than the largest upload takes; a worker that is silent for longer is taken for dead.
LEASE = timedelta(minutes=5)
# An upload that killed its worker this often would kill the next one too.
MOST_TRIES = 5


def process(upload_id: uuid.UUID) -> None:
    """Take an upload to its verdict, from wherever an earlier try left it."""
    with belonging_to(upload_id=upload_id):
        _lease(upload_id)
        try:
            _step(upload_id, UploadState.RECEIVED, _record)
            _step(upload_id, UploadState.RECORDED, _judge)
        except Exception as error:
            _note_failure(upload_id, error)
            raise


def sweep() -> int:
    """Process every open upload that no worker owns; return how many there were."""
    now = timezone.now()
    unowned = Upload.objects.filter(
        Q(leased_until__isnull=True) | Q(leased_until__lt=now), state__in=OPEN_STATES
    ).order_by("received_at")
    identities = list(unowned.values_list("pk", flat=True))
    for upload_id in identities:
        try:
            process(upload_id)
        except Exception:
            # One upload that cannot be processed must not keep the others from their verdicts.
            logger.exception("upload %s could not be processed", upload_id)
    return len(identities)


def judge_waiting(escalation_id: int) -> None:
    """Judge again every run that waited for a decision, each in a transaction of its own."""
    escalation = Escalation.objects.get(pk=escalation_id)
    for run_id in waiting_runs(escalation):
        with transaction.atomic():
            Repository.objects.select_for_update().get(pk=escalation.repository_id)
            run = Run.objects.get(pk=run_id)
            judge(run)
            want_newest_verdict(run)


def release_leases() -> None:
    """Forget who owns what: for a start at which no other worker can be alive."""
    Upload.objects.filter(state__in=OPEN_STATES).update(leased_until=None)


def _step(upload_id: uuid.UUID, state: UploadState, work: Callable[[Upload], None]) -> None:
    with transaction.atomic():
        upload = Upload.objects.select_related("run").get(pk=upload_id)
        # The lock makes writers of one repository wait for each other; the row is read again
        # behind it, since another worker may have done the step in the meantime.
        upload.repository = Repository.objects.select_for_update().get(pk=upload.repository_id)
        upload.refresh_from_db(fields=["state", "part"])
        if upload.state == state:
            with belonging_to(run_id=upload.run_id):
                work(upload)


def _record(upload: Upload) -> None:
    reading = read_upload(read_stored(upload))
    record(upload, reading)
    upload.reading = import_report(reading)
    _advance(upload, UploadState.RECORDED)


def _judge(upload: Upload) -> None:
    judge(upload.run)
    want_newest_verdict(upload.run)
    _advance(upload, UploadState.JUDGED)


def _advance(upload: Upload, state: UploadState) -> None:
    upload.state = state
    upload.error = ""
    upload.save(update_fields=["state", "error", "reading"])


def _lease(upload_id: uuid.UUID) -> None:
    Upload.objects.filter(pk=upload_id, state__in=OPEN_STATES).update(
        leased_until=timezone.now() + LEASE, attempts=F("attempts") + 1
    )


def _note_failure(upload_id: uuid.UUID, error: Exception) -> None:
    """Keep the reason with the upload; past the last try set it aside, so that others flow."""
    upload = Upload.objects.get(pk=upload_id)
    upload.error = f"{type(error).__name__}: {error}"
    upload.leased_until = None
    if upload.attempts >= MOST_TRIES:
        upload.state = UploadState.DEAD
    upload.save(update_fields=["error", "leased_until", "state"])
