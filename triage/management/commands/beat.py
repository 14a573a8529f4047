"""Send the periodic tasks to the workers; exactly one of it may run."""

import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from triage.management.celery_programs import run_celery


class Command(BaseCommand):
    """``tiebreak beat``."""

    help = (
        "Send the periodic tasks to the workers of the broker: sweeps, reminders, pruning. Exactly "
        "one may run for all hosts."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument(
            "--schedule",
            type=Path,
            default=Path(tempfile.gettempdir()) / "tiebreak-beat",
            metavar="FILE",
            help="where it keeps what ran when (default: in the folder of temporary files)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        run_celery("beat", f"--schedule={options['schedule']}")
