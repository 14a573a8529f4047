"""Hand work to whoever does it: a Celery worker, or this process where there is no broker.

Everything that is handed over has a row that says so, and is swept up if it gets lost; so nothing
that goes wrong here may fail what asked for it.
"""

import logging
from collections.abc import Callable

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from triage.logs import context

logger = logging.getLogger(__name__)


def hand_over(task: str, key: int | str, here: Callable[[], object]) -> bool:
    """Start a task by its name; ``here`` does the same work in this process.

    Return whether it was started. What goes wrong in the work itself is that work's to keep.
    The task is named and not imported: tasks know the steps, no step knows the tasks.
    """
    try:
        if settings.BROKER_URL:
            current_app.send_task(task, [key], headers=dict(context()))
        else:
            here()
    except OperationalError:
        logger.warning("broker does not answer; %s %s waits for the sweeper", task, key)
        return False
    except Exception:
        logger.exception("%s %s failed", task, key)
    return True


def hand_over_after_commit(task: str, key: int | str, here: Callable[[], object]) -> None:
    """Start a task once what it is about is there for others to see."""
    transaction.on_commit(lambda: hand_over(task, key, here))
