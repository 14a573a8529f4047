"""Send a message that is due, and note how that went."""

import logging
import uuid
from collections.abc import Callable
from datetime import timedelta

from django.db.models import F, Q
from django.utils import timezone

from triage.models import Channel, Delivery, Notification
from triage.models.notifications import PROBLEM_LENGTH, RESPONSE_LENGTH
from triage.notifications.backoff import MOST_TRIES, wait_after
from triage.notifications.failures import DeliveryFailure, PermanentFailure
from triage.notifications.mail import send_mail
from triage.notifications.message import Message
from triage.notifications.rhythm import rhythm_of
from triage.notifications.slack import send_slack
from triage.notifications.webhook import send_webhook
from triage.terms import ChannelKind, DeliveryState

logger = logging.getLogger(__name__)

# Longer than any exchange takes; a worker that is silent for longer is taken for dead.
LEASE = timedelta(minutes=5)

# Sends a message to a channel and returns the beginning of what the receiver answered.
Send = Callable[[Channel, Message], str]
SENDERS: dict[str, Send] = {
    ChannelKind.EMAIL: send_mail,
    ChannelKind.SLACK: send_slack,
    ChannelKind.WEBHOOK: send_webhook,
}


def deliver(delivery_id: uuid.UUID) -> None:
    """Send a message if it is due and nobody else is sending it."""
    if not _lease(delivery_id):
        return
    delivery = Delivery.objects.select_related("channel__repository").get(pk=delivery_id)
    try:
        _refuse_hopeless(delivery)
        response = SENDERS[delivery.channel.kind](delivery.channel, _message(delivery))
    except DeliveryFailure as failure:
        _note_failure(delivery, failure)
    else:
        _note(delivery, DeliveryState.SENT, response=response, sent_at=timezone.now())


def due_deliveries() -> list[uuid.UUID]:
    """Return the messages that are due and that no worker owns, longest due first."""
    now = timezone.now()
    waiting = Delivery.objects.filter(_is_free(), state=DeliveryState.WAITING, due_at__lte=now)
    return list(waiting.order_by("due_at").values_list("pk", flat=True))


def _is_free() -> Q:
    return Q(leased_until__isnull=True) | Q(leased_until__lt=timezone.now())


def _lease(delivery_id: uuid.UUID) -> bool:
    now = timezone.now()
    free = Delivery.objects.filter(
        _is_free(), pk=delivery_id, state=DeliveryState.WAITING, due_at__lte=now
    )
    return bool(free.update(leased_until=now + LEASE, tries=F("tries") + 1))


def _refuse_hopeless(delivery: Delivery) -> None:
    if delivery.tries > MOST_TRIES:
        raise PermanentFailure(f"sending it was begun {MOST_TRIES} times and never ended")
    if delivery.channel.removed_at:
        raise PermanentFailure("the channel was removed before the message was sent")


def _message(delivery: Delivery) -> Message:
    told = Notification.objects.filter(delivery=delivery).order_by("at", "pk")
    return Message(str(delivery.pk), delivery.channel.repository.full_name, tuple(told))


def _note_failure(delivery: Delivery, failure: DeliveryFailure) -> None:
    is_last = not failure.is_temporary or delivery.tries >= MOST_TRIES
    if is_last:
        logger.warning("delivery %s failed for good: %s", delivery.pk, failure.reason)
        _note(delivery, DeliveryState.FAILED, problem=failure.reason, response=failure.response)
        return
    again = timezone.now() + wait_after(delivery.tries, failure.retry_after_s)
    _note(
        delivery,
        DeliveryState.WAITING,
        problem=failure.reason,
        response=failure.response,
        due_at=rhythm_of(delivery.channel).past_quiet(again),
    )


def _note(
    delivery: Delivery,
    state: DeliveryState,
    *,
    problem: str = "",
    response: str = "",
    **fields: object,
) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(
        state=state,
        leased_until=None,
        problem=problem[:PROBLEM_LENGTH],
        response=response[:RESPONSE_LENGTH],
        **fields,
    )
