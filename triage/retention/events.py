"""Prune what is over: messages, deliveries, mutes, publications, the log of changes."""

from datetime import datetime

from django.db.models import CharField, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Cast

from triage.models import AuditEntry, Delivery, Mute, Publication, PullRequest, WebhookDelivery
from triage.retention.steps import Step, rows_step
from triage.terms import DeliveryState, PublicationKind, PublicationState


def event_steps(repository_id: int, cutoff: datetime) -> list[Step]:
    """Return the steps that prune a repository's events."""
    return [
        rows_step("deliveries", lambda: _deliveries(repository_id, cutoff), repository_id),
        rows_step("mutes", lambda: _mutes(repository_id, cutoff), repository_id),
        rows_step("publications", lambda: _publications(repository_id, cutoff), repository_id),
    ]


def webhook_step(cutoff: datetime) -> Step:
    """Return the step that prunes what GitHub sent, whether it was done or given up."""
    return rows_step(
        "webhook deliveries",
        lambda: WebhookDelivery.objects.filter(
            Q(processed_at__isnull=False) | ~Q(error=""), received_at__lt=cutoff
        ),
        None,
    )


def audit_step(cutoff: datetime) -> Step:
    """Return the step that prunes the log of changes, of all repositories and of none."""
    return rows_step("audit entries", lambda: AuditEntry.objects.filter(at__lt=cutoff), None)


def _deliveries(repository_id: int, cutoff: datetime) -> QuerySet[Delivery]:
    over = Delivery.objects.exclude(state=DeliveryState.WAITING)
    return over.filter(repository_id=repository_id, created_at__lt=cutoff)


def _mutes(repository_id: int, cutoff: datetime) -> QuerySet[Mute]:
    return Mute.objects.filter(repository_id=repository_id, ended_at__lt=cutoff)


def _publications(repository_id: int, cutoff: datetime) -> QuerySet[Publication]:
    """Return what was published long ago; an open pull request goes on editing its comment."""
    numbered = PullRequest.objects.annotate(told=Cast("number", CharField()))
    is_open = Exists(
        numbered.filter(repository_id=repository_id, told=OuterRef("subject"), is_open=True)
    )
    over = Publication.objects.filter(repository_id=repository_id, changed_at__lt=cutoff)
    return over.exclude(state=PublicationState.WAITING).exclude(
        is_open, kind=PublicationKind.COMMENT
    )
