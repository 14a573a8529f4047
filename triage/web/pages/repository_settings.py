"""A repository's page of settings: how long its data are kept, beside the ways to the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from triage.models import Repository

KEPT = (
    ("Raw uploads", "RETENTION_UPLOADS_DAYS"),
    ("Failure texts", "RETENTION_TEXTS_DAYS"),
    ("Results", "RETENTION_RESULTS_DAYS"),
    ("The ledger of budgets", "RETENTION_LEDGER_DAYS"),
    ("Messages and deliveries", "RETENTION_EVENTS_DAYS"),
    ("The log of changes", "RETENTION_AUDIT_DAYS"),
)


@dataclass(frozen=True, slots=True)
class Kept:
    """A kind of data, and the setting that says for how many days it is kept; 0 keeps forever."""

    what: str
    days: int
    setting: str


@dataclass(frozen=True, slots=True)
class SettingsPage:
    """What the page shows."""

    repository: Repository
    kept: Sequence[Kept]


def settings_page(repository: Repository) -> SettingsPage:
    """Return the page; no query."""
    kept = [Kept(what, getattr(settings, name), name) for what, name in KEPT]
    return SettingsPage(repository, kept)
