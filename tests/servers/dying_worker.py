"""Makes the worker that includes it die between two steps, where ``kill -9`` would hurt most."""

import os
import signal

from celery.signals import worker_ready

from triage import pipeline
from triage.models import Run


# Not at import: the search for doctests imports every module, and must live to tell.
@worker_ready.connect
def arm(**_: object) -> None:
    """Put death in the place of judging the run that was just recorded."""
    pipeline.judge = die


def die(run: Run) -> None:
    """End the process at once."""
    os.kill(os.getpid(), signal.SIGKILL)
