"""Before which time data are too old to be kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """The oldest time of each kind of data that is kept; ``None`` keeps all of it."""

    uploads: datetime | None
    texts: datetime | None
    results: datetime | None
    ledger: datetime | None
    events: datetime | None
    audit: datetime | None


def cutoffs(now: datetime) -> Cutoffs:
    """Return the cutoffs of this installation at a time."""
    return Cutoffs(
        uploads=_before(now, settings.RETENTION_UPLOADS_DAYS),
        texts=_before(now, settings.RETENTION_TEXTS_DAYS),
        results=_before(now, settings.RETENTION_RESULTS_DAYS),
        ledger=_before(now, settings.RETENTION_LEDGER_DAYS),
        events=_before(now, settings.RETENTION_EVENTS_DAYS),
        audit=_before(now, settings.RETENTION_AUDIT_DAYS),
    )


def _before(now: datetime, days: int) -> datetime | None:
    return now - timedelta(days=days) if days else None
