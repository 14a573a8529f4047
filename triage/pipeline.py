"""The order of the steps, on one page: an upload is recorded, then its run is judged.

Each step is one transaction that ends by noting how far the upload has come, so that a process
killed anywhere leaves work that is either done or begun again, never half done or done twice.
"""

import logging
import uuid
from collections.abc import Callable
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils import timezone

from triage import outbox
from triage.actions import acting
from triage.actions.asking import ask_for_second_pass
from triage.actions.following import give_up_unheard
from triage.handing_over import hand_over, hand_over_after_commit
from triage.logs import belonging_to
from triage.models import Escalation, Repository, Run, Upload
from triage.parse.collector import paused_collector
from triage.parse.import_report import import_report
from triage.parse.redaction import Redactor
from triage.parse.report import UploadReading
from triage.parse.upload import read_upload
from triage.policy.stored import policy_in_force
from triage.publish.outbox import newest_verdict, want_recent_verdict
from triage.publish.repository_files import refresh_if_stale
from triage.record.recorder import record
from triage.record.storage import read_stored
from triage.terms import RunEnd, UploadState
from triage.verdict.completeness import close, close_if_due, due_runs
from triage.verdict.escalations.deciding import waiting_runs
from triage.verdict.judge import judge

logger = logging.getLogger(__name__)


def process(upload_id: uuid.UUID, reading: UploadReading | None = None) -> None:
    """Take an upload to its verdict, from wherever an earlier try left it.

    Its files are read from the storage unless this process has read them already.
    """
    with belonging_to(upload_id=upload_id), paused_collector():
        try:
            outbox.lease(upload_id)
            repository_id = Upload.objects.values_list("repository_id", flat=True).get(pk=upload_id)
            refresh_if_stale(repository_id)
            step = partial(_step, upload_id, repository_id)
            step(UploadState.RECEIVED, lambda upload: _record(upload, reading))
            step(UploadState.RECORDED, _judge)
        except Exception as error:
            if outbox.note_failure(upload_id, error) is UploadState.RECEIVED:
                # What was lost with the report is not known, which its run has to say.
                judge_run(Upload.objects.values_list("run_id", flat=True).get(pk=upload_id))
            raise


def sweep() -> int:
    """Send for every open upload that nobody works on; return how many there were."""
    found = outbox.take_unowned()
    for upload_id in found:
        send_for(upload_id)
    return len(found)


def send_for(upload_id: uuid.UUID, reading: UploadReading | None = None) -> None:
    """Have an upload taken to its verdict; the next sweep does what cannot be sent for now."""
    if not hand_over("triage.process_upload", str(upload_id), lambda: process(upload_id, reading)):
        outbox.release(upload_id)


def send_for_after_commit(upload_id: uuid.UUID) -> None:
    """Have an upload taken to its verdict, once it is there for others to see."""
    transaction.on_commit(lambda: send_for(upload_id))


def judge_waiting(escalation_id: int) -> None:
    """Judge again every run that waited for a decision, each in a transaction of its own."""
    for run_id in waiting_runs(Escalation.objects.get(pk=escalation_id)):
        judge_run(run_id)


def judge_run(run_id: int, before: Callable[[Run], None] = lambda _: None) -> None:
    """Judge a run from what is stored, once something that is done ``before`` is noted with it."""
    with transaction.atomic():
        run = Run.objects.get(pk=run_id)
        run.repository = Repository.objects.select_for_update().get(pk=run.repository_id)
        # Read again behind the lock: another worker may have judged it in the meantime.
        run.refresh_from_db()
        before(run)
        judge(run)
        _answer(run)


def close_run(run_id: int, by: RunEnd, at: datetime) -> None:
    """Await no further part of a run, and judge it as it is."""
    judge_run(run_id, lambda run: close(run, by, at))


def close_due_runs(now: datetime) -> int:
    """Close every run that has waited long enough; return how many there were.

    One that cannot be judged is looked at again the next time, and keeps none of the others.
    """
    found = list(due_runs(now).values_list("pk", flat=True))
    for run_id in found:
        try:
            judge_run(run_id, lambda run: close_if_due(run, now))
        except Exception:
            logger.exception("run %s could not be closed", run_id)
    return len(found)


def act(action_id: int) -> None:
    """Do what was asked for on a check."""
    acting.act(action_id, judge_run)


def start_action(action_id: int) -> None:
    """Have something done that was asked for, once it is there for others to see."""
    hand_over_after_commit("triage.act", action_id, lambda: act(action_id))


def act_due() -> int:
    """Start whatever was asked for and nobody does; return how much there was.

    What was started and is not heard of any more is given up.
    """
    give_up_unheard(timezone.now())
    found = acting.due_actions()
    for action_id in found:
        start_action(action_id)
    return len(found)


def _answer(run: Run) -> None:
    """Show what was judged, and go on with the second pass where the policy wants that."""
    newest = newest_verdict(run)
    if newest is None:
        return
    now = timezone.now()
    want_recent_verdict(newest, now)
    action = ask_for_second_pass(newest, now)
    if action:
        start_action(action.pk)


def _step(
    upload_id: uuid.UUID, repository_id: int, state: UploadState, work: Callable[[Upload], None]
) -> None:
    with transaction.atomic():
        # The lock makes writers of one repository wait for each other; what is worked on is read
        # behind it, since another worker may have done the step in the meantime.
        repository = Repository.objects.select_for_update().get(pk=repository_id)
        upload = Upload.objects.select_related("run", "part").get(pk=upload_id)
        upload.repository = upload.run.repository = repository
        upload.part.run = upload.run
        if upload.state == state:
            with belonging_to(run_id=upload.run_id):
                work(upload)


def _record(upload: Upload, reading: UploadReading | None) -> None:
    policy = policy_in_force(upload.repository_id).policy
    redactor = Redactor(policy.redact)
    if reading is None:
        reading = read_upload(read_stored(upload))
    record(upload, reading, policy, redactor)
    upload.reading = import_report(reading, redactor)
    _advance(upload, UploadState.RECORDED)


def _judge(upload: Upload) -> None:
    judge(upload.run)
    _answer(upload.run)
    _advance(upload, UploadState.JUDGED)


def _advance(upload: Upload, state: UploadState) -> None:
    upload.state = state
    upload.error = ""
    upload.save(update_fields=["state", "error", "reading"])
