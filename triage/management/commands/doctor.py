"""Look at everything that this installation needs, and say what to do."""

import json
import logging
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from triage.checks.everything import EVERYTHING
from triage.checks.running import CheckState, run_checks


class Command(BaseCommand):
    """``tiebreak doctor``."""

    help = (
        "Tell the version, and check settings, database, tables, clock, storage, disk, broker, "
        "workers, waiting uploads, stored secrets, GitHub and what is published; say what to do "
        "about each. Exit status: 0, or 1 if anything fails."
    )
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        # The pool of connections warns of every try; its check tells of it once.
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
        results = run_checks(EVERYTHING)
        if options["json"]:
            self.stdout.write(json.dumps([asdict(each) for each in results], indent=2))
        else:
            for each in results:
                remedy = f" → {each.remedy}" if each.remedy else ""
                self.stdout.write(f"{each.state.value:4s}  {each.name:10s} {each.told}{remedy}")
        if any(each.state is CheckState.FAIL for each in results):
            raise SystemExit(1)
