"""Process a delivery: idempotent, in whatever order they come."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from triage.models import WebhookDelivery
from triage.publish.forge import TemporaryForgeError, TokenForgeError
from triage.webhooks import forks
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
        reports = _fetched(delivery_pk)
        with transaction.atomic():
            delivery = WebhookDelivery.objects.select_for_update().get(pk=delivery_pk)
            if delivery.processed_at is not None:
                return
            forks.take(reports, delivery.body)
            handler = HANDLERS.get(delivery.event)
            if handler:
                handler(delivery.action, delivery.body)
            delivery.processed_at, delivery.error = timezone.now(), "; ".join(reports.left_out)
            delivery.save(update_fields=["processed_at", "error"])
    except Exception as error:
        WebhookDelivery.objects.filter(pk=delivery_pk).update(
            error=f"{type(error).__name__}: {error}"
        )
        raise


def _fetched(delivery_pk: int) -> forks.ForkReports:
    """Return what has to be fetched for a delivery before the transaction that processes it.

    What GitHub does not hand out in the end is left out, so that the rest is done all the same.
    """
    delivery = WebhookDelivery.objects.get(pk=delivery_pk)
    if delivery.event != "workflow_run" or delivery.processed_at is not None:
        return forks.ForkReports()
    try:
        return forks.fetch(delivery.action, delivery.body)
    except (TemporaryForgeError, TokenForgeError) as error:
        if delivery.attempts < MOST_TRIES:
            raise
        return forks.ForkReports(left_out=[f"{error}; tried {MOST_TRIES} times"])
