"""Find the head of a pull request where CI tested the merge of it, and told that commit."""

import logging
from dataclasses import replace

from triage.models import PullRequest, Repository, Run
from triage.publish.connections import connection_of
from triage.publish.forge import ForgeError
from triage.upload.submission import Submission

logger = logging.getLogger(__name__)


def with_head(submission: Submission) -> Submission:
    """Return a submission for the head of its pull request; the merge commit is kept beside it.

    A verdict that is shown on a merge commit is seen by nobody. Where the forge cannot be asked, a
    commit that may be the head is taken for it.
    """
    repository = Repository.objects.filter(full_name=submission.repo).first()
    if submission.pr is None or repository is None:
        return submission
    head = _find_head(repository.pk, submission, submission.pr)
    if head is None or head == submission.sha:
        return submission
    return replace(submission, sha=head, merge_sha=submission.sha)


def _find_head(repository_id: int, submission: Submission, number: int) -> str | None:
    pulls = PullRequest.objects.filter(repository_id=repository_id, number=number)
    newest = pulls.values_list("head_sha", flat=True).first()
    if newest == submission.sha:
        return newest
    found = _known_head(repository_id, submission.sha) or _told_head(repository_id, submission.sha)
    return found or (newest if submission.is_merge else None)


def _known_head(repository_id: int, sha: str) -> str | None:
    """Return what an earlier part of the same run was told, so that a forge is asked once."""
    runs = Run.objects.filter(repository_id=repository_id, merge_sha=sha)
    return runs.values_list("sha", flat=True).first()


def _told_head(repository_id: int, sha: str) -> str | None:
    connection = connection_of(repository_id)
    if connection is None:
        return None
    try:
        return connection.renewing(lambda: connection.forge().head_of_merge(sha))
    except ForgeError as error:
        logger.warning("the head of merge commit %s cannot be asked for: %s", sha, error)
        return None
