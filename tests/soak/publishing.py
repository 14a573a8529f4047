"""Makes workers that include it show what is weeks old, without pauses between two writes."""

import importlib
from datetime import timedelta

from celery.signals import worker_process_init


@worker_process_init.connect
def publish_the_past(**_: object) -> None:
    """Take every run for news, and let one write follow the other at once."""
    importlib.import_module("triage.publish.outbox").OLDEST_SHOWN = timedelta(days=365)
    pauses = importlib.import_module("triage.publish.pacing").GITHUB_PAUSES
    pauses.update(dict.fromkeys(pauses, timedelta(0)))
