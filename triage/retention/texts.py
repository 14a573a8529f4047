"""Prune failure texts that no recent result and no open question needs."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from triage.models import FailureText, Result
from triage.retention.questions import commits_in_question


def old_texts(repository_id: int, cutoff: datetime) -> QuerySet[FailureText]:
    """Return the texts that go; the first line of each stays with its results."""
    asked = commits_in_question(repository_id)
    needing = Result.objects.filter(Q(at__gte=cutoff) | Q(run__sha__in=asked), text=OuterRef("pk"))
    return FailureText.objects.filter(~Exists(needing), repository_id=repository_id)
