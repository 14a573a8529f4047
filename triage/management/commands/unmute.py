"""End the mute of a case."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.errors import TiebreakError
from triage.management.cases import find_case
from triage.management.repositories import BAD_INPUT, find_repository
from triage.management.tables import ensure_tables
from triage.verdict.muting import end_mute

WHO = "the command line"


class Command(BaseCommand):
    """``tiebreak unmute OWNER/NAME CASE``."""

    help = "End the mute of a case before its time."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument("case", metavar="CASE", help="its number, its name or a part of it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        case = find_case(find_repository(options["repo"]), options["case"])
        try:
            end_mute(case, WHO)
        except TiebreakError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
        self.stdout.write(f"{case} is no longer muted")
