"""Make a link by which one person gets an account."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.access.invitations import invite
from triage.errors import InvalidRequestError
from triage.management.repositories import find_repository
from triage.management.tables import ensure_tables
from triage.terms import Role


class Command(BaseCommand):
    """``tiebreak invite NAME --repo OWNER/NAME --role decider``."""

    help = (
        "Print a link by which one person gets an account; it works once, for two days. Without "
        "--repo the account administers the whole installation. Exit status: 0, or 2 for bad input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("name", metavar="NAME", help="what the person will sign in as")
        parser.add_argument("--repo", metavar="OWNER/NAME")
        parser.add_argument("--role", choices=[role.value for role in Role], default=Role.MEMBER)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        repository = find_repository(options["repo"]) if options["repo"] else None
        try:
            self.stdout.write(invite(options["name"], repository, Role(options["role"])))
        except InvalidRequestError as error:
            raise CommandError(error.message, returncode=2) from error
