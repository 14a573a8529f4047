"""Replay a real history, judge a pull request against it and show the result."""

import os
import socket
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from rich.console import Console
from rich.progress import track

from triage.access.reading import let_everybody_read
from triage.demo import replay
from triage.demo.clean_start import NotTheDemosError, start_clean
from triage.demo.evals import EvalCase, eval_cases
from triage.demo.runs import MAIN_RUNS, PLANTED
from triage.publish.text import verdict_text
from triage.upload.acceptance import find_or_add_repository

BAD_INPUT = 2
HOST = "127.0.0.1"
FIRST_PORT = 8000
# Somebody who has twenty servers running will rather stop one than read on.
PORTS_TRIED = 20

ABOUT = """
Every answer in this history is one that a model gave when it was recorded (gpt-4.1-mini and
gpt-3.5-turbo at temperature 0; sources in triage/demo/data/README.md). One thing is planted: in
pull request {pull_request} the label of {case} is changed
from {from_label} to {to_label}.

First attempt: {headline}
Its second pass repeats {repeated} cases; with the repeats the pull request gets this verdict:
"""


class Command(BaseCommand):
    """``tiebreak demo``; ``DEMO_SERVE=0`` stops before serving."""

    help = "Replay a recorded history, print the verdict on a pull request, serve the dashboard."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument(
            "--runs",
            type=int,
            choices=range(1, MAIN_RUNS + 1),
            default=MAIN_RUNS,
            metavar="N",
            help=f"replay the last N of the {MAIN_RUNS} recorded runs; default: all",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        _start_clean()
        cases, now = eval_cases(), timezone.now()
        _replay_main(cases, now, options["runs"])
        first = replay.send(replay.pull_request_submission(cases, now))
        final = replay.send(replay.second_pass_submission(cases, first, now))
        port = _free_port() if _serves() else FIRST_PORT
        # Every link leads to where the demo serves, the one of the first account among them.
        settings.TIEBREAK_URL = f"http://{HOST}:{port}"
        run_page = f"{settings.TIEBREAK_URL}/runs/{final['id']}/"
        self.stdout.write(_about(first))
        self.stdout.write(verdict_text({**final, "url": run_page}))
        # The server never ends by itself, so what a pipe holds back would never be read.
        self.stdout.flush()
        if _serves():
            call_command("serve", host=HOST, port=port)


def _start_clean() -> None:
    data_dir = settings.ENVIRONMENT.TIEBREAK_DATA_DIR
    try:
        start_clean(data_dir, settings.DATABASES["default"], replay.REPO)
    except NotTheDemosError as error:
        raise CommandError(str(error), returncode=BAD_INPUT) from error
    call_command("migrate", verbosity=0, interactive=False)
    # Whoever tries it out opens the link of a verdict before making an account.
    let_everybody_read(find_or_add_repository(replay.REPO), is_public=True)


def _replay_main(cases: list[EvalCase], now: datetime, runs: int) -> None:
    submissions = track(
        replay.main_submissions(cases, now, first=MAIN_RUNS - runs + 1),
        description=f"Replaying {runs} recorded runs",
        total=runs,
        console=Console(stderr=True),
    )
    for submission in submissions:
        replay.send(submission)


def _about(first: replay.Document) -> str:
    return ABOUT.format(
        pull_request=replay.PULL_REQUEST,
        case=PLANTED.case,
        from_label=PLANTED.from_label,
        to_label=PLANTED.to_label,
        headline=first["headline"]["text"],
        repeated=len(first["second_pass"]["cases"]),
    )


def _serves() -> bool:
    return os.environ.get("DEMO_SERVE", "1") != "0"


def _free_port() -> int:
    for port in range(FIRST_PORT, FIRST_PORT + PORTS_TRIED):
        with socket.socket() as probe:
            # Without it a port that a server left seconds ago would count as taken.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    raise CommandError(
        f"ports {FIRST_PORT} to {FIRST_PORT + PORTS_TRIED - 1} are all taken; free one of them, "
        "or set DEMO_SERVE=0 and run tiebreak serve --port N"
    )
