"""Open the pages of a repository to everybody, or close them again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from triage.access.audit import note_for
from triage.access.invitations import CONSOLE
from triage.access.reading import let_everybody_read
from triage.management.repositories import find_repository
from triage.management.tables import ensure_tables


class Command(BaseCommand):
    """``tiebreak public_read OWNER/NAME on``."""

    help = (
        "Let everybody read a repository's pages without an account (on), or only people with a "
        "role in it (off, as for every new repository). Exit status: 0, or 2 for bad input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument("state", choices=["on", "off"])

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        repository, state = find_repository(options["repo"]), options["state"]
        if let_everybody_read(repository, is_public=state == "on"):
            note_for(CONSOLE, f"public_read_{state}", repository)
        self.stdout.write(f"{repository}: public read is {state}")
