"""Makes the worker that includes it die between two steps, where ``kill -9`` would hurt most."""

import os
import signal

from celery.signals import worker_ready

from triage import pipeline
from triage.models import Run, Verdict

DEADLY_REPOSITORY = "acme/deadly"
judge = pipeline.judge


# Not at import: the search for doctests imports every module, and must live to tell.
@worker_ready.connect
def arm(**_: object) -> None:
    """Put death in the place of judging a run of the deadly repository."""
    pipeline.judge = judge_or_die


def judge_or_die(run: Run) -> Verdict:
    """Judge a run that was just recorded, or end the process at once."""
    if run.repository.full_name == DEADLY_REPOSITORY:
        os.kill(os.getpid(), signal.SIGKILL)
    return judge(run)
