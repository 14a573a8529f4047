"""Put what happened into the outbox: one row per channel, in the caller's transaction."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from triage.models import Channel, Delivery, Notification
from triage.notifications.rhythm import rhythm_of
from triage.notifications.starting import start_after_commit
from triage.terms import DeliveryState, NotificationEvent

# Of the default branch only, unless a channel asks for all: a pull request shows its own runs.
OF_ONE_RUN = frozenset({NotificationEvent.RUN_BLOCKED, NotificationEvent.RUN_ON_HOLD})


def emit(
    repository_id: int, event: NotificationEvent, payload: Mapping[str, Any], *, key: str
) -> None:
    """Tell every channel of a repository that wants to know; twice under one key tells once.

    Parameters
    ----------
    repository_id : int
        The repository that it happened in; no other's channels are told.
    event : NotificationEvent
        What happened.
    payload : mapping
        "headline" (one sentence), "details" (list of lines) and "url" are shown as such, other
        plain values as facts; the whole is what a generic webhook gets. For a run also
        "is_reference".
    key : str
        What makes it the same event when it is emitted again, within the repository.
    """
    channels = Channel.objects.filter(repository_id=repository_id, removed_at__isnull=True)
    for channel in channels.order_by("pk"):
        if _wants(channel, event, payload):
            put(channel, event, payload, key=key)


def put(
    channel: Channel, event: NotificationEvent, payload: Mapping[str, Any], *, key: str
) -> None:
    """Tell one channel, in its rhythm."""
    with transaction.atomic():
        # The lock keeps two events from being emitted twice, or into two bundles.
        Channel.objects.select_for_update().get(pk=channel.pk)
        if Notification.objects.filter(channel=channel, key=key).exists():
            return
        Notification.objects.create(
            repository_id=channel.repository_id,
            channel=channel,
            delivery=_delivery_for(channel),
            event=event,
            key=key,
            payload=dict(payload),
        )


def put_now(
    channel: Channel, event: NotificationEvent, payload: Mapping[str, Any], *, key: str
) -> Delivery:
    """Tell one channel at once, whatever its rhythm, because a person waits for it."""
    with transaction.atomic():
        delivery = _add_delivery(channel)
        Notification.objects.create(
            repository_id=channel.repository_id,
            channel=channel,
            delivery=delivery,
            event=event,
            key=key,
            payload=dict(payload),
        )
    return delivery


def _wants(channel: Channel, event: NotificationEvent, payload: Mapping[str, Any]) -> bool:
    if event not in channel.events:
        return False
    is_elsewhere = event in OF_ONE_RUN and not payload.get("is_reference", True)
    return channel.tells_all_branches or not is_elsewhere


def _delivery_for(channel: Channel) -> Delivery:
    """Return the message that an event of now goes into: one of its own, or a waiting bundle."""
    now = timezone.now()
    due_at = rhythm_of(channel).first_moment(now)
    if due_at == now:
        return _add_delivery(channel)
    open_bundle = Delivery.objects.select_for_update().filter(
        channel=channel,
        state=DeliveryState.WAITING,
        is_bundle=True,
        tries=0,
        leased_until__isnull=True,
    )
    return open_bundle.first() or Delivery.objects.create(
        repository_id=channel.repository_id, channel=channel, is_bundle=True, due_at=due_at
    )


def _add_delivery(channel: Channel) -> Delivery:
    delivery = Delivery.objects.create(
        repository_id=channel.repository_id, channel=channel, due_at=timezone.now()
    )
    start_after_commit(delivery.pk)
    return delivery
