"""Read report files and say what was read, repaired, ignored and refused; nothing is stored."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.parse.import_report import COUNTS, import_report
from triage.parse.upload import UploadedFile, read_upload

BAD_INPUT = 2
# A person reads the first few; --json has all of them.
MOST_WARNINGS_SHOWN = 5


class Command(BaseCommand):
    """``tiebreak import_report FILE...``."""

    help = (
        "Read report files and print the import report. Exit status: 0 when something was read, "
        "2 when nothing could be."
    )
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="file or folder")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; end it with status 2 when no file could be read."""
        reading = read_upload(_uploaded(options["files"]))
        files = import_report(reading)["files"]
        if options["json"]:
            self.stdout.write(json.dumps({"files": files}, indent=2, ensure_ascii=False))
        else:
            self.stdout.write("\n".join(line for file in files for line in _lines(file)))
        if not reading.reports:
            raise SystemExit(BAD_INPUT)


def _lines(file: dict[str, Any]) -> Iterator[str]:
    if file["error"] is not None:
        line = f" line {file['line']}:" if file["line"] else ""
        word = "ignored" if file["kind"] == "ignored" else "not read"
        yield f"{file['file']}: {word}:{line} {file['error']}"
        return
    if file["dialect"] is None:
        yield f"{file['file']}: {file['kind']}, read beside the report"
        return
    incomplete = ", INCOMPLETE" if file["incomplete"] else ""
    retries = ", this reporter hides retries" if file["hides_retries"] else ""
    counts = ", ".join(f"{file[name]} {name.replace('_', ' ')}" for name in COUNTS)
    yield f"{file['file']}: {file['dialect']}: {counts}{incomplete}{retries}"
    for warning in file["warnings"][:MOST_WARNINGS_SHOWN]:
        line = f"line {warning['line']}: " if warning["line"] else ""
        yield f"  warning: {line}{warning['message']}"
    if file["missing_evidence"]:
        yield f"  missing: {file['missing_evidence']}"
    more = len(file["warnings"]) - MOST_WARNINGS_SHOWN
    if more > 0:
        yield f"  and {more} more warnings"


def _uploaded(paths: list[Path]) -> list[UploadedFile]:
    """Return the files under paths, by their bare name where that tells them apart."""
    files = [file for path in paths for file in _files(path)]
    names = [file.name for file in files]
    return [
        UploadedFile(file.name if names.count(file.name) == 1 else str(file), _bytes(file))
        for file in files
    ]


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.is_file())
    return [path]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(
            f"{path}: cannot be read ({error.strerror})", returncode=BAD_INPUT
        ) from error
