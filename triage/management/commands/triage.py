"""Take report files, judge their run and print the verdict."""

import argparse
import json
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage import pipeline
from triage.errors import TiebreakError
from triage.management.tables import ensure_tables
from triage.models import Verdict
from triage.parse.upload import UploadedFile
from triage.publish.text import verdict_text
from triage.upload.acceptance import accept
from triage.upload.submission import Submission

BAD_INPUT = 2


class Command(BaseCommand):
    """``tiebreak triage REPORT... --repo OWNER/NAME --sha SHA``."""

    help = (
        "Take JUnit reports, judge their run and print the verdict. "
        "Exit status: 0 passed, 1 blocked, 3 on hold, 2 bad input."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("reports", nargs="+", type=Path, metavar="REPORT")
        parser.add_argument("--repo", required=True, metavar="OWNER/NAME")
        parser.add_argument("--sha", required=True, help="the commit that was tested")
        parser.add_argument("--branch", default="", help="default: the repository's main branch")
        parser.add_argument("--pr", type=int, metavar="N", help="number of the pull request")
        parser.add_argument("--base-sha", default="", metavar="SHA")
        parser.add_argument("--run-id", default="", metavar="ID", help="the CI run's own id")
        parser.add_argument("--attempt", type=int, default=1, metavar="N")
        parser.add_argument("--job", default="", help="name of the CI job")
        parser.add_argument("--part", default="", metavar="i/n", help="part i of n of the run")
        parser.add_argument("--at", type=_time, metavar="ISO-8601", help="when the run took place")
        parser.add_argument("--policy", type=Path, metavar="FILE", help="the .tiebreak.yml")
        parser.add_argument("--json", action="store_true", help="print the verdict as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; end it with the verdict's exit status."""
        ensure_tables()
        try:
            submission = _submission(options)
            accepted = accept(submission)
        except TiebreakError as error:
            raise CommandError(_explain(error), returncode=BAD_INPUT) from error
        pipeline.process(accepted.upload.pk)
        verdict = Verdict.objects.get(run=accepted.upload.run, is_current=True)
        if options["json"]:
            self.stdout.write(json.dumps(verdict.document, indent=2, ensure_ascii=False))
        else:
            self.stdout.write(verdict_text(verdict.document), ending="")
        exit_code = verdict.document["exit_code"]
        if exit_code:
            raise SystemExit(exit_code)


def _submission(options: dict[str, Any]) -> Submission:
    return Submission(
        repo=options["repo"],
        sha=options["sha"],
        files=tuple(_read(path) for path in options["reports"]),
        branch=options["branch"],
        pr=options["pr"],
        base_sha=options["base_sha"],
        run_id=options["run_id"],
        attempt=options["attempt"],
        job=options["job"],
        part=options["part"],
        at=options["at"],
        policy=_read(options["policy"]).body if options["policy"] else None,
    )


def _read(path: Path) -> UploadedFile:
    try:
        return UploadedFile(path.name, path.read_bytes())
    except OSError as error:
        raise CommandError(
            f"{path}: cannot be read ({error.strerror})", returncode=BAD_INPUT
        ) from error


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be an ISO 8601 time such as 2026-12-01T09:30:00Z, got {text!r}"
        ) from None


def _explain(error: TiebreakError) -> str:
    others = "".join(f"\n{each['file']}: {each['error']}" for each in error.details[1:])
    return f"{error}{others}"
