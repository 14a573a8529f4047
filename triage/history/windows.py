"""Calls and charges within the window of a budget."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Sum

from triage.models import EpochDay


def calls_by_epoch(epoch_ids: Sequence[int], until: datetime, window: timedelta) -> dict[int, int]:
    """Return the calls per epoch on the days of the window that ends at a time."""
    sums = (
        EpochDay.objects.filter(
            epoch_id__in=epoch_ids, day__gt=(until - window).date(), day__lte=until.date()
        )
        .values_list("epoch_id")
        .annotate(total=Sum("calls"))
    )
    return dict(sums)


def calls_of_repository(repository_id: int, until: datetime, window: timedelta) -> int:
    """Return the calls of all LLM cases on the days of the window that ends at a time."""
    days = EpochDay.objects.filter(
        repository_id=repository_id, day__gt=(until - window).date(), day__lte=until.date()
    )
    return days.aggregate(total=Sum("calls"))["total"] or 0
