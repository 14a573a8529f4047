"""List the tokens of a repository, give one a new secret, end one."""

import argparse
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from triage.access.audit import note_for
from triage.errors import TiebreakError
from triage.management.repositories import BAD_INPUT, find_repository
from triage.management.tables import ensure_tables
from triage.models import Repository, Token
from triage.upload.token_changes import (
    GRACE,
    LONGEST_GRACE,
    find_token,
    revoke_token,
    rotate_token,
)
from triage.upload.tokens import CONSOLE

HOUR = timedelta(hours=1)


class Command(BaseCommand):
    """``tiebreak token OWNER/NAME list|rotate|revoke``."""

    help = (
        "List the tokens of a repository, give one a new secret, or end one; create_token makes "
        "one. Exit status: 0, or 2 for bad input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="show the tokens, without their secrets")
        rotate = actions.add_parser("rotate", help="print a new secret, shown this once only")
        rotate.add_argument(
            "--grace-hours",
            type=_grace,
            default=GRACE,
            metavar="HOURS",
            help="for how long the old secret still works, 0 to "
            f"{LONGEST_GRACE // HOUR}; default: {GRACE // HOUR}",
        )
        revoke = actions.add_parser("revoke", help="end a token at once")
        for action in (rotate, revoke):
            action.add_argument("token", metavar="TOKEN", help="its number or its name")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        repository = find_repository(options["repo"])
        action = {"list": self._list, "rotate": self._rotate, "revoke": self._revoke}
        try:
            action[options["action"]](repository, options)
        except TiebreakError as error:
            raise CommandError(error.message, returncode=BAD_INPUT) from error

    def _list(self, repository: Repository, options: dict[str, Any]) -> None:
        tokens = Token.objects.filter(repository=repository).order_by("pk")
        lines = [_line(each) for each in tokens]
        self.stdout.write("\n".join(lines) or f"{repository} has no token yet")

    def _rotate(self, repository: Repository, options: dict[str, Any]) -> None:
        token = find_token(repository, options["token"])
        grace: timedelta = options["grace_hours"]
        secret = rotate_token(token, grace)
        note_for(CONSOLE, "token_rotated", repository, token.name, grace_hours=grace // HOUR)
        self.stdout.write(secret)
        told = f"works for {grace // HOUR} more hours" if grace else "works no more"
        self.stderr.write(f"the old secret {told}")

    def _revoke(self, repository: Repository, options: dict[str, Any]) -> None:
        token = find_token(repository, options["token"])
        if not revoke_token(token):
            self.stdout.write(f"{token.name} was revoked before")
            return
        note_for(CONSOLE, "token_revoked", repository, token.name)
        self.stdout.write(f"revoked {token.name}")


def _grace(hours: str) -> timedelta:
    if not hours.isdecimal() or len(hours) > 6:
        raise argparse.ArgumentTypeError(f"must be whole hours, got {hours!r}")
    return timedelta(hours=int(hours))


def _line(token: Token) -> str:
    used = f"last used {token.last_used_at:%Y-%m-%d}" if token.last_used_at else "never used"
    return f"{token.pk}  {token.name}: {', '.join(token.scopes)}; {used}; {_end(token)}"


def _end(token: Token) -> str:
    now = timezone.now()
    if token.revoked_at:
        return f"revoked {token.revoked_at:%Y-%m-%d}"
    if token.expires_at is None:
        told = "no end"
    else:
        word = "expired" if token.expires_at <= now else "expires"
        told = f"{word} {token.expires_at:%Y-%m-%d}"
    if token.previous_until and token.previous_until > now:
        told += f"; the old secret works until {token.previous_until:%Y-%m-%d %H:%M} UTC"
    return told
