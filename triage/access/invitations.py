"""Let people in: a link that works once, and the very first one."""

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.db import transaction
from django.utils import timezone

from triage.errors import InvalidRequestError, NotFoundError
from triage.models import Invitation, Membership, Repository
from triage.terms import Role

VALID_FOR = timedelta(days=2)
SECRET_BYTES = 32
FIRST_NAME = "admin"
CONSOLE = "the command line"


def invite(name: str, repository: Repository | None, role: Role, invited_by: str = CONSOLE) -> str:
    """Return the address of a link that makes an account of this name; shown this once only.

    Without a repository the account administers the whole installation.
    """
    if User.objects.filter(username=name).exists():
        raise InvalidRequestError(f"there is an account {name!r} already; choose another name")
    secret = secrets.token_urlsafe(SECRET_BYTES)
    Invitation.objects.create(
        digest=_digest(secret),
        name=name,
        repository=repository,
        role=role,
        invited_by=invited_by,
        expires_at=timezone.now() + VALID_FOR,
    )
    return f"{settings.TIEBREAK_URL}/invitations/{secret}/"


def first_invitation() -> str | None:
    """Return a link for the first administrator, as long as there is no account at all."""
    if User.objects.exists():
        return None
    Invitation.objects.filter(name=FIRST_NAME, used_at__isnull=True).delete()
    return invite(FIRST_NAME, None, Role.ADMIN)


def find_invitation(secret: str) -> Invitation:
    """Return an invitation that still holds; raise ``NotFoundError`` otherwise."""
    found = Invitation.objects.filter(
        digest=_digest(secret), used_at__isnull=True, expires_at__gt=timezone.now()
    ).first()
    if found is None:
        raise NotFoundError(
            "this invitation is not known, was used or has expired; ask for a new one "
            "(tiebreak invite)"
        )
    return found


def account_of(invitation: Invitation) -> User | None:
    """Return the account of the invited name, which another invitation may have made since."""
    return User.objects.filter(username=invitation.name).first()


def accept(secret: str, password: str) -> User:
    """Make the account that an invitation is for; raise ``ValidationError`` for a weak password."""
    with transaction.atomic():
        invitation = _locked(secret)
        validate_password(password, User(username=invitation.name))
        user = User.objects.create_user(invitation.name, password=password)
        _give(invitation, user)
    return user


def accept_as(secret: str, user: User) -> None:
    """Give an account what an invitation of its name promises; raise ``NotFoundError`` for others.

    Only who is signed in may ask for it: the link alone must not open an account that exists.
    """
    with transaction.atomic():
        invitation = _locked(secret)
        if invitation.name != user.get_username():
            raise NotFoundError("this invitation is for somebody else")
        _give(invitation, user)


def _locked(secret: str) -> Invitation:
    return Invitation.objects.select_for_update().get(pk=find_invitation(secret).pk)


def _give(invitation: Invitation, user: User) -> None:
    """Give what was promised, where it is more than the person has, and end the invitation."""
    if invitation.repository is None:
        user.is_superuser = True
        user.save(update_fields=["is_superuser"])
    else:
        promised = Role(invitation.role)
        member, is_new = Membership.objects.get_or_create(
            repository=invitation.repository, user=user, defaults={"role": promised}
        )
        if not is_new and not Role(member.role).covers(promised):
            member.role = promised
            member.save(update_fields=["role"])
    invitation.used_at = timezone.now()
    invitation.save(update_fields=["used_at"])


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
