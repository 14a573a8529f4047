"""Take a submission in: who may, which commit it is about, where it is kept, and the verdict."""

from dataclasses import replace

from triage.dispatch import after_commit
from triage.models import Token
from triage.parse.collector import paused_collector
from triage.upload.acceptance import Accepted, accept
from triage.upload.heads import with_head
from triage.upload.submission import Submission
from triage.upload.tokens import require_repository, require_scope
from triage.upload.waiting import wait_for


def take_in(submission: Submission, token: Token, wait_s: float) -> Accepted:
    """Store a submission and have its run judged; wait for that as long as the caller likes.

    Raises a ``TiebreakError`` and stores nothing where the token may not, or nothing can be read.
    """
    require_scope(token, "upload")
    require_repository(token, submission.repo)
    submission = with_head(submission)
    with paused_collector():
        accepted = accept(submission, token)
        after_commit(accepted.upload.pk, accepted.reading)
    return replace(accepted, upload=wait_for(accepted.upload.pk, wait_s))
