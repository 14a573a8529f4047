"""Have the forge run the failed jobs of a workflow run again, once per attempt."""

from triage.actions.asking import MOST_ATTEMPTS
from triage.actions.attempts import attempts_made, forge_attempt
from triage.actions.effects import Effect, RefusedActionError
from triage.models import Run
from triage.publish.connections import Connection
from triage.publish.forge import GoneForgeError, RefusedForgeError
from triage.publish.github.failures import is_not_granted
from triage.publish.github.workflows import WorkflowRun

NOT_GRANTED = (
    "Tiebreak may not re-run jobs here. Grant the App the permission “Actions: read and write” "
    "and accept it in the settings of its installation, or re-run the failed jobs by hand."
)


class StillRunningError(Exception):
    """The workflow has not ended, so that nothing of it can be run again yet."""


def rerun(run: Run, connection: Connection) -> Effect:
    """Re-run the failed jobs of a run's attempt, unless a later attempt is there already.

    Looked up first: the answer to an earlier try may have been lost after the work was done.
    """
    if not run.ci_run_id.isdigit():
        raise RefusedActionError(
            f"{run.ci_run_id or 'an empty run id'} is no workflow run of GitHub's; send its "
            "GITHUB_RUN_ID as run_id with every report"
        )
    if attempts_made(run) >= MOST_ATTEMPTS:
        raise RefusedActionError(f"the second pass ends after {MOST_ATTEMPTS} attempts")
    number = int(run.ci_run_id)
    found = _workflow_run(connection, number)
    if found.attempt > forge_attempt(run.attempt):
        return _started(found.attempt)
    if not found.is_completed:
        raise StillRunningError
    _rerun(connection, number)
    return _started(found.attempt + 1)


def _started(attempt: int) -> Effect:
    answer = f"attempt {attempt} has been started; this check follows it."
    return Effect(answer, {"attempt": attempt})


def _rerun(connection: Connection, number: int) -> None:
    try:
        connection.renewing(lambda: connection.rerunning().rerun_failed_jobs(number))
    except RefusedForgeError as error:
        if "already running" in str(error):
            raise StillRunningError from error
        if is_not_granted(error):
            raise RefusedActionError(NOT_GRANTED) from error
        raise


def _workflow_run(connection: Connection, number: int) -> WorkflowRun:
    try:
        return connection.renewing(lambda: connection.workflows().run(number))
    except GoneForgeError as error:
        raise RefusedActionError(
            f"GitHub knows no workflow run {number} here; send its GITHUB_RUN_ID as run_id"
        ) from error
