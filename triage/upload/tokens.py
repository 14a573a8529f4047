"""Tokens: made once, shown once, stored as a digest, checked in constant time."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from triage.errors import ForbiddenError, UnauthorizedError
from triage.models import Repository, Token
from triage.upload.rates import count_request

PREFIX = "tbk_"
UPLOAD_AND_READ = ("upload", "read")
SCOPES = (*UPLOAD_AND_READ, "decide")
SECRET_BYTES = 32
# Last use is for people who tidy up; to the minute is enough and saves a write per request.
USE_RESOLUTION = timedelta(minutes=1)


def create_token(
    repository: Repository,
    name: str,
    scopes: Sequence[str] = UPLOAD_AND_READ,
    expires_at: datetime | None = None,
) -> str:
    """Make a token and return its secret, which cannot be read again."""
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    Token.objects.create(
        repository=repository,
        name=name,
        digest=_digest(secret),
        scopes=list(scopes),
        expires_at=expires_at,
    )
    return secret


def authenticate(secret: str) -> Token:
    """Return the token that a secret belongs to, its request counted.

    Raises ``UnauthorizedError`` for any other secret, ``RateLimitedError`` after too many requests.
    """
    digest = _digest(secret)
    token = Token.objects.select_related("repository").filter(digest=digest).first()
    if token is None or not hmac.compare_digest(token.digest, digest) or token.revoked_at:
        raise UnauthorizedError(
            "the token is not known here; make one with 'manage.py create_token OWNER/NAME' and "
            "send it as 'Authorization: Bearer TOKEN'"
        )
    if token.expires_at and token.expires_at <= timezone.now():
        raise UnauthorizedError(
            f"the token expired on {token.expires_at:%Y-%m-%d %H:%M} UTC; make a new one with "
            "'manage.py create_token OWNER/NAME'"
        )
    count_request(token.repository_id, f"token {token.pk}")
    _note_use(token)
    return token


def require_scope(token: Token, scope: str) -> None:
    """Raise ``ForbiddenError`` unless a token may do this."""
    if scope not in token.scopes:
        raise ForbiddenError(
            f"the token may {', '.join(token.scopes)} and not {scope}; make one with "
            f"'manage.py create_token OWNER/NAME --scope {scope}'"
        )


def require_repository(token: Token, full_name: str) -> None:
    """Raise ``ForbiddenError`` unless a token is for this repository."""
    if full_name != token.repository.full_name:
        raise ForbiddenError(
            f"the token is for {token.repository.full_name}, not for {full_name}; "
            "use a token of that repository"
        )


def _note_use(token: Token) -> None:
    now = timezone.now()
    stale = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - USE_RESOLUTION)
    Token.objects.filter(stale, pk=token.pk).update(last_used_at=now)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
