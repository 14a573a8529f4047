"""A repository's page of notifications: its channels, and what was sent, waits or failed."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page
from django.http import QueryDict

from triage.models import Channel, Delivery, Repository
from triage.notifications.channels import EVENTS, channels_of
from triage.web.presenters.deliveries import DeliveryRow, delivery_rows
from triage.web.presenters.pagination import page_of

DELIVERIES_PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class NotificationsPage:
    """What the page shows."""

    repository: Repository
    channels: Sequence[Channel]
    # How many kinds of event there are to be told of.
    event_count: int
    deliveries: Page[Delivery]
    rows: Sequence[DeliveryRow]


def notifications_page(repository: Repository, parameters: QueryDict) -> NotificationsPage:
    """Read the page; five queries, however many channels and messages there are."""
    sent = Delivery.objects.filter(repository=repository).select_related("channel")
    newest_first = sent.prefetch_related("notifications").order_by("-created_at", "-pk")
    deliveries = page_of(newest_first, parameters, DELIVERIES_PER_PAGE)
    return NotificationsPage(
        repository=repository,
        channels=channels_of(repository),
        event_count=len(EVENTS),
        deliveries=deliveries,
        rows=delivery_rows(list(deliveries)),
    )
