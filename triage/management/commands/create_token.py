"""Make a token for a repository and print it once."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from triage.access.audit import note_for
from triage.errors import InvalidRequestError
from triage.management.repositories import BAD_INPUT
from triage.management.tables import ensure_tables
from triage.models.repositories import FULL_NAME
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import CONSOLE, SCOPES, UPLOAD_AND_READ, create_token

MOST_DAYS = 3_650


class Command(BaseCommand):
    """``tiebreak create_token OWNER/NAME``."""

    help = "Make an upload token for a repository and print it; it is shown this once only."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument("--name", default="ci", help="what to call the token")
        parser.add_argument(
            "--scope",
            action="append",
            choices=SCOPES,
            help="what it may do, once per scope; default: upload and read",
        )
        parser.add_argument("--days", type=int, help="for how many days it works; default: no end")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        full_name, days = options["repo"], options["days"]
        if not FULL_NAME.fullmatch(full_name):
            raise CommandError(f"repo must be OWNER/NAME, got {full_name!r}", returncode=BAD_INPUT)
        if days is not None and not 1 <= days <= MOST_DAYS:
            told = f"days must lie in 1 to {MOST_DAYS}, got {days}"
            raise CommandError(told, returncode=BAD_INPUT)
        ensure_tables()
        repository = find_or_add_repository(full_name)
        expires_at = timezone.now() + timedelta(days=days) if days else None
        scopes = options["scope"] or UPLOAD_AND_READ
        try:
            secret = create_token(repository, options["name"], scopes, expires_at)
        except InvalidRequestError as error:
            raise CommandError(error.message, returncode=BAD_INPUT) from error
        note_for(CONSOLE, "token_made", repository, options["name"], scopes=list(scopes))
        self.stdout.write(secret)
