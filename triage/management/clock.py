"""Do the work of Celery's beat in this process, where there is no broker."""

import logging
from collections.abc import Mapping
from datetime import datetime
from threading import Event, Thread
from typing import Any

from celery import current_app
from celery.schedules import BaseSchedule, maybe_schedule
from django.db import close_old_connections
from django.utils import timezone

# A task is known once its module is imported, which a worker does by itself and a server does not.
import triage.tasks  # noqa: F401

logger = logging.getLogger(__name__)

SHORTEST_WAIT_S = 1.0


class Clock:
    """Runs the tasks of a beat schedule, each when it is due."""

    def __init__(self, schedule: Mapping[str, Mapping[str, Any]]) -> None:
        self._schedule = schedule
        self._stopped = Event()
        self._thread = Thread(target=self._tick, name="clock", daemon=True)
        now = timezone.now()
        self._last_run: dict[str, datetime] = dict.fromkeys(schedule, now)

    def start(self) -> None:
        """Run in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, and return once the task that runs has ended."""
        self._stopped.set()
        self._thread.join()

    def run_due(self) -> float:
        """Run every task that is due; return the seconds until the next one."""
        waits = [self._run_if_due(name) for name in self._schedule]
        return max(min(waits), SHORTEST_WAIT_S)

    def _run_if_due(self, name: str) -> float:
        entry = self._schedule[name]
        schedule: BaseSchedule = maybe_schedule(entry["schedule"])  # type: ignore[assignment]
        is_due, wait_s = schedule.is_due(self._last_run[name])
        if is_due:
            self._last_run[name] = timezone.now()
            _run(entry["task"])
        return float(wait_s)

    def _tick(self) -> None:
        wait_s = 0.0
        while not self._stopped.wait(wait_s):
            wait_s = self.run_due()


def _run(task: str) -> None:
    close_old_connections()
    try:
        current_app.tasks[task]()
    except Exception:
        # One task that fails must not stop the others; each is run again at its next time.
        logger.exception("%s failed", task)
    finally:
        close_old_connections()
