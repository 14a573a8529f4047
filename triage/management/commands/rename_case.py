"""Bring the history of a case to its new name."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.errors import InvalidRequestError
from triage.management.repositories import find_repository
from triage.management.tables import ensure_tables
from triage.models import Case, Repository
from triage.record.renames.following import follow


class Command(BaseCommand):
    """``tiebreak rename_case OWNER/NAME OLD NEW``."""

    help = (
        "Take two cases for one under its old and its new name: history, budget and open questions "
        "of the old one follow. OLD and NEW are titles or numbers. It cannot be taken back. Exit "
        "status: 0, or 2 for bad input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument("old", metavar="OLD")
        parser.add_argument("new", metavar="NEW")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        repository = find_repository(options["repo"])
        old, new = _find(repository, options["old"]), _find(repository, options["new"])
        try:
            follow(old, new)
        except InvalidRequestError as error:
            raise CommandError(error.message, returncode=2) from error
        self.stdout.write(f"{old.title} is {new.title} now; its history follows")


def _find(repository: Repository, told: str) -> Case:
    cases = Case.objects.filter(repository=repository)
    found = cases.filter(title=told).first()
    if found is None and told.isdecimal():
        found = cases.filter(pk=int(told)).first()
    if found is None:
        raise CommandError(f"there is no case {told!r} in {repository}", returncode=2)
    return found
