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
            "(manage.py invite)"
        )
    return found


def accept(secret: str, password: str) -> User:
    """Make the account that an invitation is for; raise ``ValidationError`` for a weak password."""
    with transaction.atomic():
        invitation = Invitation.objects.select_for_update().get(pk=find_invitation(secret).pk)
        validate_password(password, User(username=invitation.name))
        is_admin = invitation.repository is None
        user = User.objects.create_user(
            invitation.name, password=password, is_superuser=is_admin, is_staff=False
        )
        if invitation.repository is not None:
            Membership.objects.create(
                repository=invitation.repository, user=user, role=invitation.role
            )
        invitation.used_at = timezone.now()
        invitation.save(update_fields=["used_at"])
    return user


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
