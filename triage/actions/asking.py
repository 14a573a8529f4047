"""Keep what is asked for; it is done once the transaction that asks is over."""

from datetime import datetime

from budgets.second_pass import WAVES
from triage.actions.attempts import attempts_made
from triage.models import RequestedAction, Run, Verdict
from triage.models.requested_actions import LOGIN_LENGTH
from triage.policy.stored import policy_in_force
from triage.publish.connections import connection_of
from triage.publish.outbox import OLDEST_SHOWN
from triage.terms import Button
from triage.verdict.run_policy import RunPolicy

# The plan of a second pass ends after so many repeats, one per attempt at least.
MOST_ATTEMPTS = 1 + WAVES[-1]


def ask(run: Run, kind: Button, who: str) -> RequestedAction:
    """Keep what a person asked for on the check of a run."""
    return RequestedAction.objects.create(
        repository_id=run.repository_id, run=run, kind=kind, who=who[:LOGIN_LENGTH]
    )


def ask_for_second_pass(verdict: Verdict, now: datetime) -> RequestedAction | None:
    """Keep that the policy wants the failed jobs re-run of the attempt that a verdict is of, once.

    The verdict is that of the CI run's last attempt.
    """
    if not _wants_rerun(verdict, now):
        return None
    made, is_new = RequestedAction.objects.get_or_create(
        repository_id=verdict.repository_id, run=verdict.run, kind=Button.RERUN, who=""
    )
    return made if is_new else None


def _wants_rerun(verdict: Verdict, now: datetime) -> bool:
    run = verdict.run
    return (
        bool(verdict.document["second_pass"]["repeats"])
        and run.ci_run_id.isdigit()
        and attempts_made(run) < MOST_ATTEMPTS
        and run.at > now - OLDEST_SHOWN
        and RunPolicy(policy_in_force(run.repository_id)).reruns_failed_jobs
        and connection_of(run.repository_id) is not None
    )
