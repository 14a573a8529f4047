"""Who may change something from a page, and in whose name."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from triage.models import Repository


def may_change(request: HttpRequest, repository: Repository) -> bool:
    """Whether the forms of a repository's pages are open to whoever asks."""
    user = getattr(request, "user", None)
    return bool(user and user.is_authenticated)


def require_change(request: HttpRequest, repository: Repository) -> None:
    """Raise ``PermissionDenied`` unless whoever asks may change the repository."""
    if not may_change(request, repository):
        raise PermissionDenied("Sign in to change this.")


def who_asks(request: HttpRequest) -> str:
    """Return the name of the person who is signed in."""
    return str(getattr(request, "user", "nobody"))
