"""Messages to channels as rows: what they tell and how far they have come."""

from collections.abc import Sequence
from dataclasses import dataclass

from triage.models import Delivery
from triage.notifications.message import TITLES
from triage.terms import DeliveryState, NotificationEvent
from triage.web.presenters.badges import DELIVERIES, Badge


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """One message."""

    delivery: Delivery
    badge: Badge
    # The first event in words, and how many follow in the same message.
    title: str
    headline: str
    others: int
    # Whether it has ended, so that a person may have it sent again.
    is_over: bool


def delivery_rows(deliveries: Sequence[Delivery]) -> list[DeliveryRow]:
    """Return the rows of messages whose notifications were fetched along."""
    return [_row(each) for each in deliveries]


def _row(delivery: Delivery) -> DeliveryRow:
    first, *others = sorted(delivery.notifications.all(), key=lambda told: told.pk)
    return DeliveryRow(
        delivery=delivery,
        badge=DELIVERIES[DeliveryState(delivery.state)],
        title=TITLES[NotificationEvent(first.event)],
        headline=str(first.payload.get("headline") or ""),
        others=len(others),
        is_over=delivery.state != DeliveryState.WAITING,
    )
