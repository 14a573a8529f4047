"""Estimate out of a repository's own history how often the gate is wrong about its labels."""

import argparse
import json
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from budgets.second_pass import MIN_HISTORY_CALLS
from triage.management.repositories import find_repository
from triage.management.tables import ensure_tables
from triage.verdict.calibration import REPLAYS, Calibration, MovedLabel, calibrate
from triage.verdict.calibration_reports import document_of
from triage.verdict.label_replays import FEWEST_RUNS, REPEATS
from triage.verdict.recorded_labels import LabelRecord, read_labels
from triage.verdict.rules import RULES_VERSION

# Fewer tell nothing of rates of one percent; more take minutes and tell nothing new of the runs.
REPLAYS_ALLOWED = range(100, 100_001)


class Command(BaseCommand):
    """``tiebreak calibrate OWNER/NAME``."""

    help = (
        "Replay the recorded labels of the default branch through the rule for flips, and print "
        "how often it blocks or holds a run in which nothing changed and misses a label that "
        "moved. Nothing is stored. Exit status: 0, or 2 for bad input."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument(
            "--replays", type=_replays, default=REPLAYS, metavar="N", help=f"default: {REPLAYS}"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        record = read_labels(find_repository(options["repo"]).pk)
        missing = record.labels.runs_missing
        estimates = None if missing else calibrate(record.labels, replays=options["replays"])
        if options["json"]:
            document = document_of(options["repo"], record, estimates)
            self.stdout.write(json.dumps(document, indent=2, ensure_ascii=False))
            return
        lines = _table(record, estimates) if estimates else _too_short(record)
        self.stdout.write("\n".join([f"{options['repo']}: {_basis(record)}", *lines]))


def _basis(record: LabelRecord) -> str:
    cases, runs = record.labels.labels.shape
    since = f" since {record.since:%Y-%m-%d}" if record.since else ""
    left_out = (
        f"; left out: {record.without_label} LLM cases without a label, "
        f"{record.with_several} that expect several"
        if record.without_label or record.with_several
        else ""
    )
    return f"{cases} cases with a label, {runs} runs of the default branch{since}{left_out}"


def _too_short(record: LabelRecord) -> Iterator[str]:
    missing = record.labels.runs_missing
    yield (
        f"The history is too short to calibrate: no case has more than {FEWEST_RUNS - missing} "
        f"runs with its present model, prompt and test, and {FEWEST_RUNS} are needed "
        f"({MIN_HISTORY_CALLS} of history, the one that is judged, {REPEATS} repeats)."
    )
    yield f"Missing: {missing} more runs of the default branch."
    if not len(record.labels.labels):
        yield "No case has told its labels; record tiebreak.expected_label and tiebreak.label."


def _table(record: LabelRecord, estimates: Calibration) -> Iterator[str]:
    unchanged = estimates.unchanged
    yield (
        f"{estimates.replays} replays of {estimates.runs} runs with {estimates.cases} cases, by "
        f"rules {RULES_VERSION}; 95 % intervals"
    )
    yield ""
    yield "Nothing changed"
    yield f"  run blocked           {unchanged.blocked}"
    yield f"  run on hold           {unchanged.held}"
    yield f"  any flip              {unchanged.flipping}"
    yield f"  repeats per run       {unchanged.repeats_per_run:.1f}"
    for each in estimates.moved:
        yield from _moved(each)
    yield ""
    short = len(record.labels.labels) - estimates.cases
    if short:
        yield f"{short} cases have fewer than {FEWEST_RUNS} runs yet and took no part."
    yield (
        "The intervals tell how exact the replays are. All of them are drawn from the same runs "
        "and speak for runs like these; labels are moved by relabelling recorded answers."
    )


def _moved(each: MovedLabel) -> Iterator[str]:
    yield ""
    yield f"One label moved in {100 * each.share_of_calls:.0f} % of its calls"
    yield f"  blocked               {each.blocked}"
    yield f"  on hold               {each.held}"
    yield f"  missed                {each.missed}"
    yield f"    not in first call   {each.unseen}"
    yield f"  repeats per run       {each.repeats_per_run:.1f}"


def _replays(text: str) -> int:
    if text.isdecimal() and int(text) in REPLAYS_ALLOWED:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"must be a number from {REPLAYS_ALLOWED[0]} to {REPLAYS_ALLOWED[-1]}, got {text!r}"
    )
