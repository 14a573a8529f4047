"""Who may change something from a page, and in whose name."""

from django.http import HttpRequest

from triage.access.roles import may, who
from triage.models import Repository
from triage.terms import Role


def may_change(request: HttpRequest, repository: Repository, role: Role = Role.ADMIN) -> bool:
    """Whether the forms of a repository's pages are open to whoever asks."""
    return may(request, repository, role)


def who_asks(request: HttpRequest) -> str:
    """Return the name of the person who is signed in."""
    return who(request)
