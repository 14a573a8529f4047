"""Choose how the verdicts of a repository are shown on a forge."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.errors import TiebreakError
from triage.management.repositories import find_repository
from triage.management.tables import ensure_tables
from triage.publish.choosing import PublisherRequest, choose_publisher
from triage.terms import PublisherKind

WHO = "command line"


class Command(BaseCommand):
    """``tiebreak publisher OWNER/NAME gitlab --token-file FILE``."""

    help = (
        "Choose how verdicts are shown: github_checks (the GitHub App), github_status (commit "
        "status and comment, with a token), gitlab (commit status and merge request note, with a "
        "token) or none. A token is tried before it is stored, encrypted. Exit status: 0, or 2 "
        "for bad input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument("kind", choices=[each.value for each in PublisherKind])
        parser.add_argument("--address", default="", help="of the forge, such as https://HOST")
        parser.add_argument("--project", default="", help="its name there, if it is another one")
        parser.add_argument("--token-file", type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        repository = find_repository(options["repo"])
        token = _read(options["token_file"]) if options["token_file"] else ""
        kind = PublisherKind(options["kind"])
        asked = PublisherRequest(kind, options["address"], options["project"], token)
        try:
            chosen = choose_publisher(repository, asked, WHO)
        except TiebreakError as error:
            raise CommandError(str(error), returncode=2) from error
        place = f" of {chosen.project} at {chosen.api_url}" if chosen.api_url else ""
        self.stdout.write(f"{repository}: verdicts are shown by {chosen.kind}{place}")


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}", returncode=2) from error
