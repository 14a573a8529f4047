"""Celery's entry points: plain ids in, one call each."""

import uuid

from celery import Task, shared_task
from django.utils import timezone

from triage import pipeline
from triage.notifications.sending import deliver as send_delivery
from triage.notifications.starting import start_due
from triage.outbox import TEMPORARY, delay_s
from triage.publish.delivering import deliver as deliver_publication
from triage.publish.people import renew_asked
from triage.publish.repository_files import refresh as refresh_files
from triage.publish.starting import start_due as start_due_publications
from triage.retention.pruning import prune as prune_all
from triage.verdict.calibration_reports import ask_where_due
from triage.verdict.calibration_reports import run as run_calibration
from triage.verdict.escalations.reminders import remind as remind_of_escalations
from triage.verdict.incidents import close_quiet
from triage.verdict.muting import end_expired_mutes as end_mutes
from triage.webhooks.processing import process as process_webhook
from triage.webhooks.redelivery import mend_installations as mend_all_installations
from triage.webhooks.redelivery import redeliver_failed
from triage.webhooks.starting import start_open


@shared_task(name="triage.process_upload", bind=True, max_retries=None)
def process_upload(task: "Task[..., None]", upload_id: str) -> None:
    """Take one upload to its verdict; what failed for the moment is tried again by itself."""
    try:
        pipeline.process(uuid.UUID(upload_id))
    except TEMPORARY as error:
        raise task.retry(exc=error, countdown=delay_s(task.request.retries)) from error


@shared_task(name="triage.sweep")
def sweep() -> None:
    """Pick up what a dead worker or a lost message left."""
    pipeline.sweep()


@shared_task(name="triage.close_due_runs")
def close_due_runs() -> None:
    """Close the runs that have waited long enough for further parts."""
    pipeline.close_due_runs(timezone.now())


@shared_task(name="triage.deliver")
def deliver(delivery_id: str) -> None:
    """Send one message to a channel."""
    send_delivery(uuid.UUID(delivery_id))


@shared_task(name="triage.sweep_deliveries")
def sweep_deliveries() -> None:
    """Start what waited for its time or its next try, and what a dead worker left."""
    start_due()


@shared_task(name="triage.publish")
def publish(publication_id: int) -> None:
    """Bring one thing on a forge up to date."""
    deliver_publication(publication_id)


@shared_task(name="triage.sweep_publications")
def sweep_publications() -> None:
    """Start what waited for its turn or its next try, and what a dead worker left."""
    start_due_publications()


@shared_task(name="triage.act")
def act(action_id: int) -> None:
    """Do one thing that was asked for on a check."""
    pipeline.act(action_id)


@shared_task(name="triage.sweep_actions")
def sweep_actions() -> None:
    """Start what waited for a workflow's end or its next try, and what a dead worker left."""
    pipeline.act_due()


@shared_task(name="triage.read_files")
def read_files(repository_id: int) -> None:
    """Read policy and owners of a repository's default branch again."""
    refresh_files(repository_id)


@shared_task(name="triage.process_delivery")
def process_delivery(delivery: int) -> None:
    """Do what one delivery of a forge asks for."""
    process_webhook(delivery)


@shared_task(name="triage.sweep_webhooks")
def sweep_webhooks() -> None:
    """Start the deliveries that a dead worker or a lost message left."""
    start_open()


@shared_task(name="triage.redeliver")
def redeliver() -> None:
    """Ask GitHub for the deliveries that did not come in."""
    redeliver_failed(timezone.now())


@shared_task(name="triage.mend_installations")
def mend_installations() -> None:
    """Read from GitHub where the App is installed."""
    mend_all_installations()


@shared_task(name="triage.renew_roles")
def renew_roles() -> None:
    """Ask GitHub for the roles that are an hour old."""
    renew_asked()


@shared_task(name="triage.end_expired_mutes")
def end_expired_mutes() -> None:
    """Note which mutes ended by themselves, and tell it."""
    end_mutes()


@shared_task(name="triage.close_incidents")
def close_incidents() -> None:
    """Close the provider incidents that have gone quiet."""
    close_quiet(timezone.now())


@shared_task(name="triage.judge_waiting")
def judge_waiting(escalation_id: int) -> None:
    """Judge again the runs that waited for a decision."""
    pipeline.judge_waiting(escalation_id)


@shared_task(name="triage.remind")
def remind() -> None:
    """Remind of the questions to people that are open."""
    remind_of_escalations(timezone.now())


@shared_task(name="triage.prune")
def prune() -> None:
    """Delete what is older than it is kept."""
    prune_all(timezone.now())


@shared_task(name="triage.calibrate")
def calibrate(report_id: int) -> None:
    """Run one calibration."""
    run_calibration(report_id)


@shared_task(name="triage.calibrate_where_due")
def calibrate_where_due() -> None:
    """Ask for the calibrations that are a week old."""
    ask_where_due()
