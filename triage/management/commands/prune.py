"""Delete what is older than it is kept."""

from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from triage.management.progress import row_progress
from triage.management.tables import ensure_tables
from triage.retention.pruning import prune, survey


class Command(BaseCommand):
    """``tiebreak prune [--dry-run]``."""

    help = (
        "Delete what is older than the RETENTION_* settings keep it, in short transactions: it may "
        "be stopped anywhere and run again, beside a running service. Exit status: 0."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("--dry-run", action="store_true", help="only say what would go")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        now = timezone.now()
        counts = survey(now)
        if not options["dry_run"]:
            with row_progress("Pruning", counts.total()) as advance:
                counts = prune(now, lambda _, rows: advance(rows))
        _print(counts, "Would be deleted" if options["dry_run"] else "Deleted", self.stdout)


def _print(counts: Counter[str], verb: str, out: Any) -> None:
    table = Table("Table", verb)
    table.columns[1].justify = "right"
    for name, rows in counts.items():
        table.add_row(name, f"{rows:,}")
    Console(file=out, width=60).print(table)
