"""Write what is stored of a repository as files for other tools."""

from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand, CommandParser

from triage.export.writing import count, export
from triage.management.progress import row_progress
from triage.management.repositories import BAD_INPUT, find_repository
from triage.management.tables import ensure_tables


class Command(BaseCommand):
    """``tiebreak export OWNER/NAME --format csv --out DIR``."""

    help = (
        "Write cases, runs, results, findings, charges, epochs, epoch days and verdicts of a "
        "repository as one file each, with a manifest of the columns. Exit status: 0, or 2 for "
        "bad input."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument("--format", choices=("csv", "json"), default="csv")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        repository = find_repository(options["repo"])
        try:
            with row_progress("Exporting", count(repository.pk)) as advance:
                counts = export(repository.pk, options["out"], options["format"], advance)
        except OSError as error:
            raise CommandError(
                f"{options['out']} cannot be written to ({error.strerror})", returncode=BAD_INPUT
            ) from error
        lines = [f"{name}: {rows:,} rows" for name, rows in counts.items()]
        self.stdout.write("\n".join([*lines, f"written to {options['out']}"]))
