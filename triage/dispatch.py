"""Start the work that a request asks for, once what it is about is stored."""

import uuid

from django.db import transaction

from triage.handing_over import hand_over_after_commit
from triage.parse.report import UploadReading
from triage.pipeline import judge_waiting, send_for


def after_commit(upload_id: uuid.UUID, reading: UploadReading | None = None) -> None:
    """Take an upload to its verdict; one that cannot be processed keeps its reason."""
    transaction.on_commit(lambda: send_for(upload_id, reading))


def after_decision(escalation_id: int) -> None:
    """Judge again what waited for a decision."""
    hand_over_after_commit(
        "triage.judge_waiting", escalation_id, lambda: judge_waiting(escalation_id)
    )
