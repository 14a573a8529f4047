"""Take a submission in: who may, which commit it is about, where it is kept, and the verdict."""

from dataclasses import replace

from triage.dispatch import after_commit
from triage.parse.collector import paused_collector
from triage.upload.acceptance import Accepted, accept
from triage.upload.callers import Caller, own_submission, require_scope
from triage.upload.heads import with_head
from triage.upload.submission import Submission
from triage.upload.waiting import wait_for


def take_in(submission: Submission, caller: Caller, wait_s: float) -> Accepted:
    """Store a submission and have its run judged; wait for that as long as the caller likes.

    Raises a ``TiebreakError`` and stores nothing where the caller may not, or nothing can be read.
    """
    require_scope(caller, "upload")
    submission = with_head(own_submission(caller, submission))
    with paused_collector():
        accepted = accept(submission, caller.token)
        after_commit(accepted.upload.pk, accepted.reading)
    return replace(accepted, upload=wait_for(accepted.upload.pk, wait_s))
