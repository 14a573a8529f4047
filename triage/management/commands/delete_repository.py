"""Delete a repository with everything that was stored of it."""

from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand, CommandParser

from triage.management.progress import row_progress
from triage.management.repositories import BAD_INPUT, find_repository
from triage.management.tables import ensure_tables
from triage.retention.removal import removal_steps


class Command(BaseCommand):
    """``tiebreak delete_repository OWNER/NAME``."""

    help = (
        "Delete a repository: every row of it in every table, and its raw uploads. It cannot be "
        "undone; run it again if it was stopped. Exit status: 0, or 2 for bad input."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        repository = find_repository(options["repo"])
        steps = removal_steps(repository)
        total = sum(step.count() for step in steps)
        if not options["yes"]:
            self._ask(options["repo"], total)
        deleted = 0
        with row_progress("Deleting", total) as advance:
            for step in steps:
                for rows in step.batches():
                    deleted += rows
                    advance(rows)
        self.stdout.write(f"{options['repo']} is deleted: {deleted:,} rows and files")

    def _ask(self, name: str, total: int) -> None:
        self.stdout.write(f"{name} has {total:,} rows and files; deleting cannot be undone.")
        if input("Type its name to delete it: ").strip() != name:
            raise CommandError("another name was typed; nothing was deleted", returncode=BAD_INPUT)
