"""Start the sending of messages."""

import uuid

from triage.handing_over import hand_over, hand_over_after_commit
from triage.notifications.sending import deliver, due_deliveries

TASK = "triage.deliver"


def start_after_commit(delivery_id: uuid.UUID) -> None:
    """Start sending once the message's row is there for others to see."""
    hand_over_after_commit(TASK, str(delivery_id), lambda: deliver(delivery_id))


def start(delivery_id: uuid.UUID) -> None:
    """Start sending a message."""
    hand_over(TASK, str(delivery_id), lambda: deliver(delivery_id))


def start_due() -> int:
    """Start every message that is due and that nobody is sending; return how many there were."""
    due = due_deliveries()
    for delivery_id in due:
        start(delivery_id)
    return len(due)
