"""Put a policy in force."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from triage.management.policies import read_policy_file
from triage.management.repositories import find_repository
from triage.management.tables import ensure_tables
from triage.policy.stored import Origin, take_policy
from triage.terms import PolicySource


class Command(BaseCommand):
    """``tiebreak set_policy OWNER/NAME FILE``."""

    help = (
        "Put a policy in force for a repository from its next run on. A file with errors changes "
        "nothing. Exit status: 0, or 2 for a file with errors."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        _, body, _ = read_policy_file(options["file"])
        repository = find_repository(options["repo"])
        take_policy(repository, body, Origin(PolicySource.COMMAND))
        self.stdout.write(f"{options['file']} is in force for {repository} from the next run on")
