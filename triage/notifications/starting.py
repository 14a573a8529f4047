"""Hand a message to whoever sends it: a Celery worker, or this process."""

import logging
import uuid

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from triage.notifications.sending import deliver, due_deliveries

logger = logging.getLogger(__name__)

# The task is named and not imported: tasks know the steps, no step knows the tasks.
TASK = "triage.deliver"


def start_after_commit(delivery_id: uuid.UUID) -> None:
    """Start sending once the message's row is there for others to see."""
    transaction.on_commit(lambda: start(delivery_id))


def start(delivery_id: uuid.UUID) -> None:
    """Start sending a message; nothing is lost when that fails, since the row is swept up."""
    try:
        if settings.BROKER_URL:
            current_app.send_task(TASK, [str(delivery_id)])
        else:
            deliver(delivery_id)
    except OperationalError:
        logger.warning("broker does not answer; delivery %s waits for the sweeper", delivery_id)
    except Exception:
        # What a message is about has happened all the same, and must not fail with it.
        logger.exception("delivery %s could not be sent", delivery_id)


def start_due() -> int:
    """Start every message that is due and that nobody is sending; return how many there were."""
    due = due_deliveries()
    for delivery_id in due:
        start(delivery_id)
    return len(due)
