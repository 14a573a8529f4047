"""Hand a delivery to whoever processes it: a Celery worker, or this process."""

import logging

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from triage.webhooks.processing import open_deliveries, process

logger = logging.getLogger(__name__)

TASK = "triage.process_delivery"


def start_after_commit(delivery: int) -> None:
    """Start processing once the row is there for others to see."""
    transaction.on_commit(lambda: start(delivery))


def start(delivery: int) -> None:
    """Start processing; what fails is kept with its reason and swept up."""
    try:
        if settings.BROKER_URL:
            current_app.send_task(TASK, [delivery])
        else:
            process(delivery)
    except OperationalError:
        logger.warning("broker does not answer; delivery %s waits", delivery)
    except Exception:
        logger.exception("delivery %s could not be processed", delivery)


def start_open() -> int:
    """Start every delivery that is not processed; return how many there were."""
    found = open_deliveries()
    for delivery in found:
        start(delivery)
    return len(found)
