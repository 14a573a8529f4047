"""Makes the worker that includes it die between two steps, where ``kill -9`` would hurt most."""

import os
import signal

from triage import pipeline
from triage.models import Run


def die(run: Run) -> None:
    """End the process at once, in place of judging the run that was just recorded."""
    os.kill(os.getpid(), signal.SIGKILL)


pipeline.judge = die
