"""Tokens as rows: whether each still works, and whether a job still has its old secret."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from triage.models import Token
from triage.web.presenters.badges import Badge, Tone

SOON = timedelta(days=14)
IN_FORCE = Badge("in force", "passed", Tone.GOOD)
ENDS_SOON = Badge("ends soon", "on-hold", Tone.WARNING)
EXPIRED = Badge("expired", "blocked", Tone.BAD)
REVOKED = Badge("revoked", "skipped", Tone.QUIET)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One token."""

    token: Token
    badge: Badge
    # Whether it can be given a new secret, or be ended.
    is_in_force: bool
    # Whether the secret before the last rotation still works.
    has_grace: bool
    # Whether a job used the secret before after there was a new one.
    is_old_secret_used: bool


def token_row(token: Token, now: datetime) -> TokenRow:
    """Return a token as the page shows it."""
    badge = _badge(token, now)
    is_in_force = badge in {IN_FORCE, ENDS_SOON}
    used, rotated, until = token.previous_used_at, token.rotated_at, token.previous_until
    return TokenRow(
        token=token,
        badge=badge,
        is_in_force=is_in_force,
        has_grace=is_in_force and until is not None and until > now,
        is_old_secret_used=used is not None and rotated is not None and used > rotated,
    )


def _badge(token: Token, now: datetime) -> Badge:
    if token.revoked_at:
        return REVOKED
    if token.expires_at is None:
        return IN_FORCE
    if token.expires_at <= now:
        return EXPIRED
    return ENDS_SOON if token.expires_at <= now + SOON else IN_FORCE
