"""The role of a person in a repository, and the door that asks for one."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from triage.access.forge_roles import in_force
from triage.models import Membership, Repository
from triage.terms import Role


def role_of(request: HttpRequest, repository: Repository) -> Role | None:
    """Return what whoever asks may do in a repository; ``None`` without a role; one query.

    Of a role given here and one by the forge the higher one counts.
    """
    user = request.user
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser:
        return Role.ADMIN
    given = Membership.objects.filter(repository=repository, user_id=user.pk).values_list("role")
    by_forge = in_force().filter(repository=repository, user_id=user.pk).values_list("role")
    held = {Role(role) for (role,) in given.union(by_forge)}
    return max(held, key=list(Role).index, default=None)


def may(request: HttpRequest, repository: Repository, role: Role) -> bool:
    """Whether whoever asks has at least this role in a repository."""
    held = role_of(request, repository)
    return held is not None and held.covers(role)


def require(request: HttpRequest, repository: Repository, role: Role) -> None:
    """Raise ``PermissionDenied`` unless whoever asks has at least this role."""
    if may(request, repository, role):
        return
    if not request.user.is_authenticated:
        raise PermissionDenied("Sign in to change this.")
    raise PermissionDenied(
        f"This takes the role {role} in {repository.full_name}; ask one of its admins for it."
    )


def require_administrator(request: HttpRequest) -> None:
    """Raise ``PermissionDenied`` unless whoever asks administers the whole installation."""
    if not (request.user.is_active and getattr(request.user, "is_superuser", False)):
        raise PermissionDenied(
            "This takes an administrator of the installation; ask whoever set it up."
        )


def who(request: HttpRequest) -> str:
    """Return the name of the person who is signed in."""
    return request.user.get_username() or "nobody"
