"""What is wrong with a policy that came in, as a run tells of it."""

from collections.abc import Iterator

from triage.models import RepositoryFiles, Run
from triage.policy.stored import last_refusal

# The first errors tell most; a file that is wholly wrong has one cause.
MOST_ERRORS = 3


def policy_notes(run: Run) -> Iterator[str]:
    """Yield a sentence per error of the run's own policy, or of the last one of its repository."""
    for each in run.policy_errors[:MOST_ERRORS]:
        yield (
            f".tiebreak.yml of this change, {_place(each)}: {each['message']}. The default "
            "branch's policy judges."
        )
    unread = RepositoryFiles.objects.filter(repository_id=run.repository_id).exclude(error="")
    for files in unread:
        yield (
            "Policy and owners of the default branch could not be read; those read before hold. "
            f"{files.error}"
        )
    refused = last_refusal(run.repository_id) if not run.policy_errors else None
    if refused is None:
        return
    for each in refused.errors[:MOST_ERRORS]:
        yield (
            f"The policy of {refused.at:%Y-%m-%d %H:%M} UTC is not in force, {_place(each)}: "
            f"{each['message']}. The last good one judges."
        )


def _place(error: dict[str, object]) -> str:
    path = f" ({error['path']})" if error["path"] else ""
    return f"line {error['line']}, column {error['column']}{path}"
