"""Say which past verdicts the rules of today would change; nothing is changed."""

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from rich.console import Console
from rich.progress import track

from triage.management.policies import read_policy_file
from triage.management.repositories import find_repository
from triage.management.tables import ensure_tables
from triage.models import Run
from triage.policy.stored import PolicyInForce
from triage.publish.text import UNPRINTABLE
from triage.verdict.rejudging import Rejudged, rejudge
from triage.verdict.rules import RULES_VERSION

SHORT_SHA = 7


class Command(BaseCommand):
    """``tiebreak replay OWNER/NAME --since DATE``."""

    help = (
        "Judge stored runs again by the rules of today, or by another policy, and print which "
        "verdicts and findings would differ. Nothing is changed; uploads to the repository wait "
        "until it is done, on SQLite all uploads do. Exit status: 0, or 2 for bad input."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        parser.add_argument(
            "--since", type=_since, required=True, metavar="DATE", help="the first day, or a time"
        )
        parser.add_argument(
            "--policy", type=Path, metavar="FILE", help="judge by this policy, which is not kept"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        repository = find_repository(options["repo"])
        policy = _policy(options["policy"]) if options["policy"] else None
        rejudged = rejudge(repository, options["since"], _tracked, policy)
        if options["json"]:
            document = _document(options["repo"], options["since"], rejudged)
            self.stdout.write(json.dumps(document, indent=2, ensure_ascii=False))
            return
        lines = [*_lines(rejudged), _summary(options["repo"], options["since"], rejudged)]
        self.stdout.write("\n".join(UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", x) for x in lines))


def _policy(file: Path) -> PolicyInForce:
    """Return a policy to be tried; every error in it is told with its place."""
    policy, body, text = read_policy_file(file)
    return PolicyInForce(policy, hashlib.sha256(body).hexdigest(), None, text)


def _tracked(runs: list[Run]) -> Iterable[Run]:
    # A bar that nobody watches would only fill the logs.
    console = Console(stderr=True)
    return track(runs, "Judging again", console=console, disable=not console.is_terminal)


def _lines(rejudged: Sequence[Rejudged]) -> Iterator[str]:
    for each in rejudged:
        if not each.differs:
            continue
        yield f"{_name(each.run)}: {_arrow(each.before, each.after)}"
        for finding in each.findings:
            part = f" ({finding.part})" if finding.part else ""
            yield f"  {finding.case}{part}: {_arrow(finding.before, finding.after)}"
            yield f"    {finding.reason}"
        yield ""


def _name(run: Run) -> str:
    origin = f"#{run.pr}" if run.pr else run.branch
    return f"run {run.pk} · {origin} {run.sha[:SHORT_SHA]} · {run.at:%Y-%m-%d %H:%M} UTC"


def _arrow(before: str | None, after: str | None) -> str:
    if before == after:
        return f"{after} as before"
    return f"{before or 'no finding'} → {after or 'no finding'}"


def _summary(repo: str, since: datetime, rejudged: Sequence[Rejudged]) -> str:
    judged = f"{repo}: {_plural(len(rejudged), 'run')} since {since:%Y-%m-%d %H:%M} UTC"
    counts = _counts(rejudged)
    kinds = "".join(f"\n  {count} × {change}" for change, count in counts["changes"].items())
    return (
        f"{judged}, judged again by rules {RULES_VERSION}: "
        f"{_plural(counts['verdicts'], 'verdict')} and {_plural(counts['findings'], 'finding')} "
        f"would differ. Nothing was changed.{kinds}{_known_since(rejudged)}"
    )


def _known_since(rejudged: Sequence[Rejudged]) -> str:
    runs = sum(each.differs and not each.rules_differ for each in rejudged)
    if not runs:
        return ""
    return (
        f"\n{_plural(runs, 'run')} of these had been judged by the same rules: priors, accepted "
        "rates and label sets are those of today."
    )


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _counts(rejudged: Sequence[Rejudged]) -> dict[str, Any]:
    findings = [finding for each in rejudged for finding in each.findings]
    changes = Counter(_arrow(finding.before, finding.after) for finding in findings)
    return {
        "runs": len(rejudged),
        "verdicts": sum(each.before != each.after for each in rejudged),
        "findings": len(findings),
        "changes": dict(changes.most_common()),
    }


def _document(repo: str, since: datetime, rejudged: Sequence[Rejudged]) -> dict[str, Any]:
    return {
        "repo": repo,
        "since": since.isoformat(),
        "rules": RULES_VERSION,
        "counts": _counts(rejudged),
        "runs": [_run(each) for each in rejudged if each.differs],
    }


def _run(each: Rejudged) -> dict[str, Any]:
    return {
        "id": each.run.pk,
        "sha": each.run.sha,
        "branch": each.run.branch,
        "pr": each.run.pr,
        "at": each.run.at.isoformat(),
        "rules": {"before": each.rules_before, "after": each.rules_after},
        "conclusion": {"before": each.before, "after": each.after},
        "findings": [asdict(finding) for finding in each.findings],
    }


def _since(text: str) -> datetime:
    """Return a time; one without an offset is taken as UTC."""
    try:
        told = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be a date such as 2026-11-01 or an ISO 8601 time, got {text!r}"
        ) from None
    return told.astimezone(UTC) if told.tzinfo else told.replace(tzinfo=UTC)
