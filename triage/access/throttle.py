"""Slow down who guesses passwords: counted in the database, so that all processes agree."""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from triage.models import AuditEntry

FAILED = "sign_in_failed"
WINDOW = timedelta(minutes=15)
MOST_FAILURES = 10


def is_throttled(name: str, address: str | None) -> bool:
    """Whether too many attempts failed lately, for this name or from this address."""
    lately = AuditEntry.objects.filter(action=FAILED, at__gt=timezone.now() - WINDOW)
    return lately.filter(Q(who=name) | Q(address=address)).count() >= MOST_FAILURES


def note_failure(name: str, address: str | None) -> None:
    """Count an attempt that failed."""
    AuditEntry.objects.create(who=name[:150], action=FAILED, address=address)
