"""Hold what an upload says of its run against what GitHub says of the workflow that sends it."""

from dataclasses import replace

from triage.errors import ForbiddenError
from triage.models import PullRequest, Repository
from triage.upload.refs import read_ref
from triage.upload.submission import Submission
from triage.upload.workflow_tokens import Workflow

# Our client numbers the repeats of a second pass within an attempt: (attempt - 1) * 100 + 1 and on.
ATTEMPTS_APART = 100


def held_against(submission: Submission, workflow: Workflow, repository: Repository) -> Submission:
    """Return a submission with the run, pull request and branch that its workflow is known to have.

    What is about another commit than the workflow runs on, and what a fork's pull request reports,
    is not trusted: it is judged, and counts for nothing. Raises ``ForbiddenError`` where an upload
    names another run or pull request than its own.
    """
    _require_run(submission, workflow)
    named = {workflow.repository: repository.full_name}
    submission = replace(
        submission,
        repo=named.get(submission.repo, submission.repo),
        run_id=workflow.run_id,
        attempt=_attempt(submission, workflow),
    )
    ref = read_ref(workflow.ref)
    if ref.pr is not None:
        return _of_pull_request(submission, workflow, repository, ref.pr)
    is_own = bool(submission.sha) and workflow.sha.startswith(submission.sha)
    branch = ref.branch if is_own or not submission.branch else submission.branch
    return replace(
        submission, branch=branch or workflow.ref, is_trusted=submission.is_trusted and is_own
    )


def _of_pull_request(
    submission: Submission, workflow: Workflow, repository: Repository, number: int
) -> Submission:
    if submission.pr not in {None, number}:
        raise ForbiddenError(
            f"the workflow runs for pull request {number}, the upload says {submission.pr}; "
            "leave pr out, or send the number of its own"
        )
    is_fork = PullRequest.objects.filter(
        repository=repository, number=number, is_fork=True
    ).exists()
    return replace(
        submission,
        pr=number,
        branch=workflow.head_ref or submission.branch,
        is_merge=submission.is_merge or submission.sha == workflow.sha,
        is_trusted=submission.is_trusted and not is_fork,
    )


def _require_run(submission: Submission, workflow: Workflow) -> None:
    if submission.run_id not in {"", workflow.run_id}:
        raise ForbiddenError(
            f"the identity token is of run {workflow.run_id}, the upload says "
            f"{submission.run_id!r}; leave run_id out, or send GITHUB_RUN_ID"
        )


def _attempt(submission: Submission, workflow: Workflow) -> int:
    """Return the attempt; 1 is what an uploader says that does not know it."""
    told = submission.attempt
    counted = (told - 1) // ATTEMPTS_APART + 1
    if workflow.run_attempt in {told, counted}:
        return told
    if told == 1:
        return workflow.run_attempt
    raise ForbiddenError(
        f"the identity token is of attempt {workflow.run_attempt}, the upload says "
        f"{told}; send GITHUB_RUN_ATTEMPT"
    )
