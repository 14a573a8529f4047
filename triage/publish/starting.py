"""Start the delivery of publications."""

from triage.handing_over import hand_over, hand_over_after_commit
from triage.publish.delivering import deliver, due_publications

TASK = "triage.publish"


def start_after_commit(publication_id: int) -> None:
    """Start delivering once the row is there for others to see."""
    hand_over_after_commit(TASK, publication_id, lambda: deliver(publication_id))


def start(publication_id: int) -> None:
    """Start delivering."""
    hand_over(TASK, publication_id, lambda: deliver(publication_id))


def start_due() -> int:
    """Start every publication that is due; return how many there were."""
    due = due_publications()
    for publication_id in due:
        start(publication_id)
    return len(due)
