"""Note what was changed by whom: the log is only ever added to."""

from typing import Any

from django.http import HttpRequest

from triage.access.roles import who
from triage.models import AuditEntry, Repository

# Who did what a forge told, in the log.
GITHUB = "GitHub"


def note(
    request: HttpRequest,
    action: str,
    repository: Repository | None = None,
    subject: str = "",
    **detail: Any,
) -> None:
    """Add one entry. ``detail`` must hold no secret."""
    AuditEntry.objects.create(
        repository=repository,
        who=who(request),
        action=action,
        subject=subject[:300],
        detail=detail,
        address=address_of(request),
    )


def note_for(
    who: str, action: str, repository: Repository, subject: str = "", **detail: Any
) -> None:
    """Add one entry for somebody who acted on a forge, so that no request of theirs came here."""
    AuditEntry.objects.create(
        repository=repository, who=who[:150], action=action, subject=subject[:300], detail=detail
    )


def address_of(request: HttpRequest) -> str | None:
    """Return the address that the request came from."""
    return request.META.get("REMOTE_ADDR") or None
