"""Let people's roles follow what a forge says; the log of changes keeps each that came or went."""

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from triage.access.audit import GITHUB, note_for
from triage.models import ForgeRole, Repository
from triage.terms import Role


def follow_all(user: User, roles: Mapping[int, Role]) -> None:
    """Give a person these roles, by repository, and take all others of the forge away."""
    with transaction.atomic():
        # Two sign-ins of one person at once take their turns here.
        User.objects.select_for_update().get(pk=user.pk)
        held = dict(ForgeRole.objects.filter(user=user).values_list("repository", "role"))
        changed = {pk for pk in held.keys() | roles.keys() if held.get(pk) != roles.get(pk)}
        for repository in Repository.objects.filter(pk__in=changed):
            follow(repository, user, roles.get(repository.pk))
        # Most people reach many repositories, and little changes from one sign-in to the next.
        same = ForgeRole.objects.filter(user=user).exclude(repository__in=changed)
        same.update(confirmed_at=timezone.now(), asked_at=None)


def follow(repository: Repository, user: User, role: Role | None) -> None:
    """Let a person's role in a repository be what the forge has just said; ``None`` for none."""
    held = ForgeRole.objects.filter(repository=repository, user=user).first()
    before = held.role if held else ""
    if role is None:
        ForgeRole.objects.filter(repository=repository, user=user).delete()
    else:
        told = {"role": role, "confirmed_at": timezone.now(), "asked_at": None}
        ForgeRole.objects.update_or_create(repository=repository, user=user, defaults=told)
    if before != (role or ""):
        action = "forge_role_taken" if role is None else "forge_role_given"
        told = {"role": role or "", "before": before}
        detail = {name: value for name, value in told.items() if value}
        note_for(GITHUB, action, repository, user.get_username(), **detail)
