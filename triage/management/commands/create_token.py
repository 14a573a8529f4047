"""Make a token for a repository and print it once."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.management.tables import ensure_tables
from triage.models.repositories import FULL_NAME
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token


class Command(BaseCommand):
    """``manage.py create_token OWNER/NAME``."""

    help = "Make an upload token for a repository and print it; it is shown this once only."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument("--name", default="ci", help="what to call the token")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        full_name = options["repo"]
        if not FULL_NAME.fullmatch(full_name):
            raise CommandError(f"repo must be OWNER/NAME, got {full_name!r}", returncode=2)
        ensure_tables()
        repository = find_or_add_repository(full_name)
        self.stdout.write(create_token(repository, options["name"]))
