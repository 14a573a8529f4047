"""Give a token a new secret, end it, and find the one that a person means."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from triage.errors import InvalidRequestError, NotFoundError
from triage.models import Repository, Token
from triage.upload.tokens import digest_of, new_secret, require_in_force

# Long enough to change a setting in CI, and for the jobs that run to end.
GRACE = timedelta(days=1)
LONGEST_GRACE = timedelta(days=30)
MOST_NAMES_SHOWN = 5


def rotate_token(token: Token, grace: timedelta = GRACE) -> str:
    """Return a new secret of a token; the one before works until the grace time is over.

    A secret that was still within an earlier grace time ends now. Scopes and the token's own end
    stay. Raises ``UnauthorizedError`` for a token that no longer works, ``InvalidRequestError`` for
    a grace time that is out of bounds.
    """
    if not timedelta(0) <= grace <= LONGEST_GRACE:
        raise InvalidRequestError(
            f"the old secret may work for 0 to {LONGEST_GRACE.days} more days, got {grace}"
        )
    secret, now = new_secret(), timezone.now()
    with transaction.atomic():
        current = Token.objects.select_for_update().get(pk=token.pk)
        require_in_force(current)
        current.previous_digest = current.digest
        current.previous_until = now + grace
        current.previous_used_at = current.last_used_at
        current.last_used_at = None
        current.digest = digest_of(secret)
        current.rotated_at = now
        current.save()
    return secret


def revoke_token(token: Token) -> bool:
    """End a token and all its secrets at once; whether it had not been ended before."""
    waiting = Token.objects.filter(pk=token.pk, revoked_at__isnull=True)
    return bool(waiting.update(revoked_at=timezone.now()))


def find_token(repository: Repository, told: str) -> Token:
    """Return the token of this number, or the one in force of this name.

    Raises ``NotFoundError`` where there is none, ``InvalidRequestError`` where several have it.
    """
    tokens = Token.objects.filter(repository=repository)
    if told.isdecimal() and len(told) <= 18:
        numbered = tokens.filter(pk=int(told)).first()
        if numbered:
            return numbered
    named = list(tokens.filter(name=told, revoked_at__isnull=True).order_by("pk"))
    if len(named) == 1:
        return named[0]
    if named:
        numbers = ", ".join(str(each.pk) for each in named)
        raise InvalidRequestError(f"several tokens are called {told!r}; give a number: {numbers}")
    known = tokens.filter(revoked_at__isnull=True).order_by("name").values_list("name", flat=True)
    names = ", ".join(known[:MOST_NAMES_SHOWN]) or "none yet"
    raise NotFoundError(f"{repository} has no token {told!r} in force; known: {names}")
