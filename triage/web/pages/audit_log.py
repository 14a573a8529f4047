"""The log of changes of a repository: who changed what, narrowed and page by page."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import QueryDict

from triage.models import AuditEntry, Repository
from triage.web.presenters.pagination import page_of

ENTRIES_PER_PAGE = 50
# A bound on what two lists offer.
MOST_CHOICES = 200


@dataclass(frozen=True, slots=True)
class AuditLogPage:
    """What the page shows."""

    repository: Repository
    action: str
    who: str
    actions: Sequence[str]
    people: Sequence[str]
    entries: Page[AuditEntry]


def audit_log_page(repository: Repository, parameters: QueryDict) -> AuditLogPage:
    """Read the log; four queries, however long it is."""
    return AuditLogPage(
        repository=repository,
        action=parameters.get("action", ""),
        who=parameters.get("who", ""),
        actions=_choices(repository, "action"),
        people=_choices(repository, "who"),
        entries=page_of(audit_entries(repository, parameters), parameters, ENTRIES_PER_PAGE),
    )


def audit_entries(repository: Repository, parameters: QueryDict) -> QuerySet[AuditEntry]:
    """Return what the log holds of one kind and one person, where they are named; newest first."""
    entries = AuditEntry.objects.filter(repository=repository)
    if parameters.get("action"):
        entries = entries.filter(action=parameters["action"])
    if parameters.get("who"):
        entries = entries.filter(who=parameters["who"])
    return entries.order_by("-at", "-pk")


def _choices(repository: Repository, name: str) -> list[str]:
    found = AuditEntry.objects.filter(repository=repository).order_by(name)
    return list(found.values_list(name, flat=True).distinct()[:MOST_CHOICES])
