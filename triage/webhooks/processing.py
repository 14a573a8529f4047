"""Process a delivery: idempotent, in whatever order they come."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from triage.models import WebhookDelivery
from triage.webhooks.handlers import HANDLERS

MOST_TRIES = 5
# Whoever works on it now is not disturbed.
QUIET = timedelta(minutes=1)


def open_deliveries() -> list[int]:
    """Return the deliveries that wait, the oldest first."""
    waiting = WebhookDelivery.objects.filter(
        processed_at__isnull=True,
        attempts__lt=MOST_TRIES,
        received_at__lt=timezone.now() - QUIET,
    )
    return list(waiting.order_by("received_at").values_list("pk", flat=True))


def process(delivery_pk: int) -> None:
    """Do what a delivery asks for, once; an event that nobody handles is done at once."""
    WebhookDelivery.objects.filter(pk=delivery_pk).update(attempts=F("attempts") + 1)
    try:
        with transaction.atomic():
            delivery = WebhookDelivery.objects.select_for_update().get(pk=delivery_pk)
            if delivery.processed_at is not None:
                return
            handler = HANDLERS.get(delivery.event)
            if handler:
                handler(delivery.action, delivery.body)
            delivery.processed_at, delivery.error = timezone.now(), ""
            delivery.save(update_fields=["processed_at", "error"])
    except Exception as error:
        WebhookDelivery.objects.filter(pk=delivery_pk).update(
            error=f"{type(error).__name__}: {error}"
        )
        raise
