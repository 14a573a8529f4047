"""Take work from the broker until asked to end."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from triage.management.celery_programs import run_celery

# Celery's own default queue may still hold messages of servers before an upgrade.
QUEUES = {"ingest": "ingest,celery", "publish": "publish", "slow": "slow"}


class Command(BaseCommand):
    """``tiebreak worker --queues ingest publish``."""

    help = (
        "Work for web servers with a broker: ingest takes uploads to verdicts, publish talks to "
        "other people's servers, slow does what takes minutes. SIGTERM lets it end what it has "
        "begun. Periodic tasks need one 'tiebreak beat' beside all workers."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument(
            "--queues",
            nargs="+",
            choices=QUEUES,
            default=list(QUEUES),
            metavar="QUEUE",
            help=f"of {', '.join(QUEUES)}; default: all of them",
        )
        parser.add_argument("--concurrency", type=int, default=2, help="tasks at a time (2)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        names = list(dict.fromkeys(options["queues"]))
        run_celery(
            "worker",
            f"--queues={','.join(QUEUES[name] for name in names)}",
            # Workers of one host must not share a name.
            f"--hostname={'-'.join(names)}@%h",
            f"--concurrency={options['concurrency']}",
        )
