"""Hand a publication to whoever delivers it: a Celery worker, or this process."""

import logging

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from triage.publish.delivering import deliver, due_publications

logger = logging.getLogger(__name__)

# The task is named and not imported: tasks know the steps, no step knows the tasks.
TASK = "triage.publish"


def start_after_commit(publication_id: int) -> None:
    """Start delivering once the row is there for others to see."""
    transaction.on_commit(lambda: start(publication_id))


def start(publication_id: int) -> None:
    """Start delivering; nothing is lost when that fails, since the row is swept up."""
    try:
        if settings.BROKER_URL:
            current_app.send_task(TASK, [publication_id])
        else:
            deliver(publication_id)
    except OperationalError:
        logger.warning("broker does not answer; publication %s waits", publication_id)
    except Exception:
        # The verdict stands all the same, and must not fail with what shows it.
        logger.exception("publication %s could not be delivered", publication_id)


def start_due() -> int:
    """Start every publication that is due; return how many there were."""
    due = due_publications()
    for publication_id in due:
        start(publication_id)
    return len(due)
