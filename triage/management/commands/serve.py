"""Serve the API and the pages from one process."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from triage import outbox, pipeline
from triage.access.invitations import first_invitation
from triage.management.clock import Clock
from triage.management.serving import Server
from triage.management.tables import ensure_tables
from triage.parse.upload import DEFAULT_LIMITS
from triage.wsgi import application


class Command(BaseCommand):
    """``tiebreak serve``."""

    help = "Serve the API and the pages; work that an earlier process left is done first."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--threads", type=int, default=8)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the server until SIGTERM or SIGINT, then end what was begun."""
        ensure_tables()
        clock = None if settings.BROKER_URL else _start_clock()
        server = Server(
            application,
            host=options["host"],
            port=options["port"],
            threads=options["threads"],
            max_request_body_size=2 * DEFAULT_LIMITS.compressed_bytes,
            ident="tiebreak",
        )
        first = first_invitation()
        if first:
            self.stdout.write(f"No account yet; make the first one at {first}")
        self.stdout.write(f"Serving on http://{options['host']}:{options['port']}/")
        server.run(lambda: self.stdout.write("Ending: no new requests, answering those begun"))
        if clock:
            clock.stop()


def _start_clock() -> Clock:
    # Without a broker this process is the only worker, so nobody else holds a lease.
    outbox.release_all()
    pipeline.sweep()
    clock = Clock(settings.CELERY_BEAT_SCHEDULE)
    clock.start()
    return clock
