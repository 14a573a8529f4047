"""Let a case's wording not fail runs until a day."""

import argparse
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from triage.errors import TiebreakError
from triage.management.cases import find_case
from triage.management.repositories import BAD_INPUT, find_repository
from triage.management.tables import ensure_tables
from triage.verdict.muting import MuteRequest, mute_case

WHO = "the command line"


class Command(BaseCommand):
    """``tiebreak mute OWNER/NAME CASE --owner … --reason … --until …``."""

    help = "Let wording differences of a case not fail runs until a day. Label flips still do."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument("case", metavar="CASE", help="its number, its name or a part of it")
        parser.add_argument("--owner", required=True, help="who answers for it")
        parser.add_argument("--reason", required=True)
        parser.add_argument(
            "--until", required=True, type=_until, metavar="14d|ISO-8601", help="at most 30 days"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        case = find_case(find_repository(options["repo"]), options["case"])
        asked = MuteRequest(options["owner"], options["reason"], options["until"])
        try:
            mute = mute_case(case, asked, WHO)
        except TiebreakError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
        self.stdout.write(
            f"muted {case} until {mute.until:%Y-%m-%d %H:%M} UTC; its label flips still block"
        )


def _until(text: str) -> datetime:
    days = text.removesuffix("d")
    if text.endswith("d") and days.isdecimal() and len(days) < 4:
        return timezone.now() + timedelta(days=int(days))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be days such as 14d or an ISO 8601 time such as 2026-12-15, got {text!r}"
        ) from None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
