"""Start the processing of deliveries."""

from triage.handing_over import hand_over, hand_over_after_commit
from triage.webhooks.processing import open_deliveries, process

TASK = "triage.process_delivery"


def start_after_commit(delivery: int) -> None:
    """Start processing once the row is there for others to see."""
    hand_over_after_commit(TASK, delivery, lambda: process(delivery))


def start(delivery: int) -> None:
    """Start processing."""
    hand_over(TASK, delivery, lambda: process(delivery))


def start_open() -> int:
    """Start every delivery that is not processed; return how many there were."""
    found = open_deliveries()
    for delivery in found:
        start(delivery)
    return len(found)
