"""Hand an accepted upload to whoever does the work: a Celery worker, or this process."""

import logging
import uuid

from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from triage.pipeline import judge_waiting, process
from triage.tasks import judge_waiting as judge_waiting_task
from triage.tasks import process_upload

logger = logging.getLogger(__name__)


def after_commit(upload_id: uuid.UUID) -> None:
    """Start the work once the upload's row is there for others to see."""
    transaction.on_commit(lambda: _start(upload_id))


def _start(upload_id: uuid.UUID) -> None:
    if not settings.BROKER_URL:
        _process_here(upload_id)
        return
    try:
        process_upload.delay(str(upload_id))
    except OperationalError:
        # The row is the promise, the message only a hint: the sweeper finds the upload later.
        logger.warning("broker does not answer; upload %s waits for the sweeper", upload_id)


def after_decision(escalation_id: int) -> None:
    """Judge again what waited for a decision, once the decision is there for others to see."""
    transaction.on_commit(lambda: _judge_waiting(escalation_id))


def _judge_waiting(escalation_id: int) -> None:
    try:
        if settings.BROKER_URL:
            judge_waiting_task.delay(escalation_id)
        else:
            judge_waiting(escalation_id)
    except OperationalError:
        logger.warning(
            "broker does not answer; escalation %s is judged by the next run", escalation_id
        )


def _process_here(upload_id: uuid.UUID) -> None:
    try:
        process(upload_id)
    except Exception:
        # The upload is accepted and keeps its reason; whoever sweeps next tries it again.
        logger.exception("upload %s could not be processed", upload_id)
