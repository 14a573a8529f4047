"""The people of a repository: let in, given another role, sent away."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from triage.access.forge_roles import in_force
from triage.access.invitations import invite
from triage.errors import InvalidRequestError, NotFoundError
from triage.models import ForgeRole, Invitation, Membership, Repository
from triage.terms import Role

LAST_ADMIN = (
    "{name} is the last admin of {repository}; make somebody else one first, so that it is not "
    "left without"
)


@dataclass(frozen=True, slots=True)
class HeldRole:
    """A role of a person, and whether a forge's permission gives it."""

    repository: Repository
    role: Role
    by_forge: bool


def members_of(repository: Repository) -> list[Membership]:
    """Return the people with a role, by name; one query."""
    found = Membership.objects.filter(repository=repository).select_related("user")
    return list(found.order_by("user__username"))


def members_by_forge(repository: Repository) -> list[ForgeRole]:
    """Return the people whose role comes from a forge, by name; one query."""
    found = ForgeRole.objects.filter(repository=repository).select_related("user")
    return list(found.order_by("user__username"))


def roles_of(user: User) -> list[HeldRole]:
    """Return a person's roles, given and by the forge, by repository; two queries."""
    given = Membership.objects.filter(user=user).select_related("repository")
    by_forge = in_force().filter(user=user).select_related("repository")
    held = [HeldRole(each.repository, Role(each.role), by_forge=False) for each in given]
    held += [HeldRole(each.repository, Role(each.role), by_forge=True) for each in by_forge]
    return sorted(held, key=lambda each: (each.repository.full_name, each.by_forge))


def open_invitations(repository: Repository) -> list[Invitation]:
    """Return the invitations that nobody took yet and that still hold; one query."""
    unused = Invitation.objects.filter(repository=repository, used_at__isnull=True)
    return list(unused.filter(expires_at__gt=timezone.now()).order_by("name", "pk"))


def add_member(repository: Repository, name: str, role: Role, by: str) -> str:
    """Give a role to a person who has an account, or return a link that makes one.

    The link is shown this once only; it is empty for whoever has an account.
    """
    user = User.objects.filter(username=name).first()
    if user is None:
        return invite(name, repository, role, by)
    told = {"role": role}
    _, is_new = Membership.objects.get_or_create(repository=repository, user=user, defaults=told)
    if not is_new:
        raise InvalidRequestError(f"{name} has a role already; change it in the list")
    return ""


def change_role(repository: Repository, member_id: int, role: Role) -> Membership:
    """Give a person another role; the last admin keeps theirs."""
    with transaction.atomic():
        member = _locked(repository, member_id)
        if role is not Role.ADMIN:
            _refuse_last_admin(repository, member)
        member.role = role
        member.save(update_fields=["role"])
    return member


def remove_member(repository: Repository, member_id: int) -> Membership:
    """Take a person's role away; the last admin keeps theirs."""
    with transaction.atomic():
        member = _locked(repository, member_id)
        _refuse_last_admin(repository, member)
        Membership.objects.filter(pk=member.pk).delete()
    return member


def withdraw(repository: Repository, invitation_id: int) -> Invitation:
    """Let an invitation hold no longer."""
    for invitation in open_invitations(repository):
        if invitation.pk == invitation_id:
            Invitation.objects.filter(pk=invitation_id, used_at__isnull=True).delete()
            return invitation
    raise NotFoundError("there is no such invitation any more; it was used, withdrawn or is old")


def _locked(repository: Repository, member_id: int) -> Membership:
    # Two admins who remove each other at once take their turns here.
    Repository.objects.select_for_update().get(pk=repository.pk)
    found = Membership.objects.filter(repository=repository, pk=member_id).select_related("user")
    member = found.first()
    if member is None:
        raise NotFoundError("this person has no role here any more")
    return member


def _refuse_last_admin(repository: Repository, member: Membership) -> None:
    if member.role != Role.ADMIN:
        return
    others = Membership.objects.filter(repository=repository, role=Role.ADMIN, user__is_active=True)
    if not others.exclude(pk=member.pk).exists():
        raise InvalidRequestError(
            LAST_ADMIN.format(name=member.user.get_username(), repository=repository)
        )
