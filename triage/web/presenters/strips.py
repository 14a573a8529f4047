"""The history of a case as a strip: one cell per run, oldest first."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from triage.models import Case, Finding, Part, Run
from triage.models.vectors import Code, unpack_codes
from triage.terms import FindingKind
from triage.verdict.rules import SEVERITY
from triage.web.presenters.badges import FINDINGS, OUTCOMES, Badge

MOST_CELLS = 60
# Runs that do not hold the case, such as second passes of others, take parts without a cell.
MOST_PARTS = 240
# A case may be in several legs of a run; the cell shows the worst of them.
WORST_FIRST = (
    Code.ERRORED,
    Code.FAILED,
    Code.PASSED_AFTER_RETRY,
    Code.PASSED,
    Code.SKIPPED,
    Code.ABSENT,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One run in the strip."""

    run_id: int
    sha: str
    at: datetime
    badge: Badge
    is_finding: bool


@dataclass(frozen=True, slots=True)
class RunOfPart:
    """The run that a part belongs to."""

    run_id: int
    sha: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Count:
    """How many cells of the strip show a state."""

    badge: Badge
    runs: int


@dataclass(frozen=True, slots=True)
class Strip:
    """The newest runs that held a case, and how many ended in which way."""

    cells: Sequence[Cell]
    counts: Sequence[Count]


def strip(case: Case, findings: Iterable[Finding]) -> Strip:
    """Return the strip of a case; ``findings`` are current ones, with their verdicts. One query."""
    worst = _worst_by_run(findings)
    cells = [_cell(run, code, worst) for run, code in _outcomes(case)]
    counted = Counter(cell.badge for cell in cells)
    return Strip(cells[::-1], [Count(badge, runs) for badge, runs in counted.most_common()])


def _outcomes(case: Case) -> list[tuple[RunOfPart, Code]]:
    """Return the outcome per run, newest first."""
    # Runs have an index by time; without them the database would sort all parts there are.
    runs = Run.objects.filter(repository_id=case.repository_id).order_by("-at")[:MOST_PARTS]
    parts = (
        Part.objects.filter(run__in=runs)
        .order_by("-run__at", "-run_id")
        .values_list("run_id", "run__sha", "run__at", "outcomes")[:MOST_PARTS]
    )
    found: dict[int, tuple[RunOfPart, Code]] = {}
    for run_id, sha, at, outcomes in parts:
        code = Code(int(unpack_codes(outcomes, case.slot + 1)[case.slot]))
        if code is Code.ABSENT:
            continue
        known = found.get(run_id)
        if known is None or WORST_FIRST.index(code) < WORST_FIRST.index(known[1]):
            found[run_id] = (RunOfPart(run_id, sha, at), code)
    return list(found.values())[:MOST_CELLS]


def _worst_by_run(findings: Iterable[Finding]) -> dict[int, FindingKind]:
    worst: dict[int, FindingKind] = {}
    for each in findings:
        kind, run_id = FindingKind(each.kind), each.verdict.run_id
        if run_id not in worst or SEVERITY.index(kind) < SEVERITY.index(worst[run_id]):
            worst[run_id] = kind
    return worst


def _cell(run: RunOfPart, code: Code, findings: Mapping[int, FindingKind]) -> Cell:
    kind = findings.get(run.run_id)
    badge = FINDINGS[kind] if kind else OUTCOMES[code]
    return Cell(run.run_id, run.sha, run.at, badge, is_finding=kind is not None)
