"""Tokens: made once, shown once, stored as a digest, checked in constant time."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from triage.errors import InvalidRequestError, UnauthorizedError
from triage.models import Repository, Token
from triage.upload.rates import count_request

PREFIX = "tbk_"
UPLOAD_AND_READ = ("upload", "read")
SCOPES = (*UPLOAD_AND_READ, "decide")
SECRET_BYTES = 32
NAME_LENGTH = 100
CONSOLE = "the command line"
# Last use is for people who tidy up; to the minute is enough and saves a write per request.
USE_RESOLUTION = timedelta(minutes=1)


def create_token(
    repository: Repository,
    name: str,
    scopes: Sequence[str] = UPLOAD_AND_READ,
    expires_at: datetime | None = None,
    created_by: str = CONSOLE,
) -> str:
    """Make a token and return its secret, which cannot be read again.

    Raises ``InvalidRequestError`` for a name that nobody could read, scopes that there are not, or
    an end that lies in the past.
    """
    name = name.strip()
    _check_name(name)
    _check_scopes(scopes)
    if expires_at and expires_at <= timezone.now():
        raise InvalidRequestError(f"a token must end in the future, got {expires_at.isoformat()}")
    secret = new_secret()
    Token.objects.create(
        repository=repository,
        name=name,
        digest=digest_of(secret),
        scopes=[each for each in SCOPES if each in scopes],
        expires_at=expires_at,
        created_by=created_by,
    )
    return secret


def authenticate(secret: str) -> Token:
    """Return the token that a secret belongs to, its request counted.

    Raises ``UnauthorizedError`` for any other secret, ``RateLimitedError`` after too many requests.
    """
    digest = digest_of(secret)
    either = Q(digest=digest) | Q(previous_digest=digest)
    token = Token.objects.select_related("repository").filter(either).first()
    is_current = token is not None and hmac.compare_digest(token.digest, digest)
    is_previous = token is not None and hmac.compare_digest(token.previous_digest or "", digest)
    if token is None or not (is_current or is_previous):
        raise UnauthorizedError(
            "the token is not known here; make one with 'tiebreak create_token OWNER/NAME' and "
            "send it as 'Authorization: Bearer TOKEN'"
        )
    require_in_force(token)
    if not is_current:
        _require_grace(token)
    count_request(token.repository_id, f"token {token.pk}")
    _note_use(token, "last_used_at" if is_current else "previous_used_at")
    return token


def require_in_force(token: Token) -> None:
    """Raise ``UnauthorizedError`` for a token that was revoked or has expired."""
    if token.revoked_at:
        raise UnauthorizedError(
            f"the token {token.name!r} was revoked on {_shown(token.revoked_at)}; make a new one "
            "with 'tiebreak create_token OWNER/NAME'"
        )
    if token.expires_at and token.expires_at <= timezone.now():
        raise UnauthorizedError(
            f"the token expired on {_shown(token.expires_at)}; make a new one with "
            "'tiebreak create_token OWNER/NAME'"
        )


def new_secret() -> str:
    """Return a secret that nobody guesses."""
    return PREFIX + secrets.token_urlsafe(SECRET_BYTES)


def digest_of(secret: str) -> str:
    """Return what is stored of a secret, and looked up."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _require_grace(token: Token) -> None:
    until = token.previous_until
    if until is None or until <= timezone.now():
        raise UnauthorizedError(
            f"this secret of the token {token.name!r} was replaced by a new one and worked until "
            f"{_shown(until)}; give the job the new one"
        )


def _note_use(token: Token, field: str) -> None:
    now = timezone.now()
    stale = Q(**{f"{field}__isnull": True}) | Q(**{f"{field}__lt": now - USE_RESOLUTION})
    Token.objects.filter(stale, pk=token.pk).update(**{field: now})


def _check_name(name: str) -> None:
    if not 0 < len(name) <= NAME_LENGTH or not name.isprintable():
        raise InvalidRequestError(
            f"a token's name must have 1 to {NAME_LENGTH} printable characters, got {name[:80]!r}"
        )


def _check_scopes(scopes: Sequence[str]) -> None:
    unknown = [each for each in scopes if each not in SCOPES]
    if unknown or not scopes:
        got = repr(unknown[0]) if unknown else "none"
        raise InvalidRequestError(f"scopes must be some of {', '.join(SCOPES)}, got {got}")


def _shown(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else "then"
