"""Take the policy that comes with an upload: the default branch sets it, a change only shows it."""

from triage.models import Repository, Run
from triage.policy.reading import decode, read_policy
from triage.policy.stored import Origin, take_policy
from triage.terms import PolicySource


def take_policy_of_run(repository: Repository, run: Run, body: bytes) -> None:
    """Put a policy in force, or keep with a run what is wrong with the one that it proposes.

    A change of the policy is judged by the policy that it wants to change.
    """
    if run.is_reference:
        origin = Origin(PolicySource.UPLOAD, run.sha, run.branch, run.at)
        take_policy(repository, body, origin)
        return
    text, refusal = decode(body)
    reading = refusal or read_policy(text)
    run.policy_errors = [error.as_json() for error in reading.errors]
    run.save(update_fields=["policy_errors"])
