"""Tell who owns which files of a repository."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.management.repositories import find_repository
from triage.management.tables import ensure_tables

LARGEST_BYTES = 3 * 1024 * 1024


class Command(BaseCommand):
    """``tiebreak set_owners OWNER/NAME CODEOWNERS``."""

    help = (
        "Keep a repository's CODEOWNERS file: escalations ask the owners of the test's file where "
        "no tie-break names anybody. Exit status: 0, or 2 for bad input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument("file", type=Path, metavar="CODEOWNERS")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        repository = find_repository(options["repo"])
        repository.codeowners = _read(options["file"])
        repository.save(update_fields=["codeowners"])
        lines = len(repository.codeowners.splitlines())
        self.stdout.write(f"{repository}: {lines} lines of owners kept")


def _read(file: Path) -> str:
    try:
        body = file.read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}", returncode=2) from error
    if len(body) > LARGEST_BYTES:
        raise CommandError(
            f"{file} holds {len(body)} bytes, the limit is {LARGEST_BYTES}", returncode=2
        )
    return body.decode(errors="replace").replace("\x00", "")
