"""Cases that differ between two runs as rows: how each stood there and here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from triage.models import Case, Finding
from triage.models.vectors import Code
from triage.terms import FindingKind
from triage.verdict.run_comparison import ComparedCase, RunDifference, Side
from triage.web.presenters.badges import FINDINGS, OUTCOMES, Badge, Tone

GROUPS = {
    RunDifference.LABEL_CHANGED: Badge("label changed", "flip", Tone.BAD),
    RunDifference.NEWLY_FAILING: Badge("newly failing", "blocked", Tone.BAD),
    RunDifference.FAILING_OTHERWISE: Badge("failing in another way", "retried", Tone.WARNING),
    RunDifference.FAILING_ALIKE: Badge("failing in the same way", "inherited", Tone.NEUTRAL),
    RunDifference.NO_LONGER_FAILING: Badge("no longer failing", "passed", Tone.GOOD),
    RunDifference.NO_LONGER_RUN: Badge("skipped now", "skipped", Tone.NEUTRAL),
    RunDifference.ONLY_HERE: Badge("only in this run", "unknown", Tone.NEUTRAL),
    RunDifference.ONLY_THERE: Badge("only in the other run", "unknown", Tone.NEUTRAL),
}
FAILED_BEFORE = "failed before, then passed"
# By run, case and leg: a case has one finding in each leg of a run.
FindingKinds = Mapping[tuple[int, int, str], FindingKind]


@dataclass(frozen=True, slots=True)
class SideCell:
    """How a case stood in one of the runs."""

    badge: Badge
    leg: str
    flips: Sequence[tuple[str | None, str | None]]
    # The first line of the failure.
    message: str
    note: str
    # The run and the result of its finding; ``None`` where nothing was judged.
    run_id: int | None
    result_id: int | None


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """A case that differs."""

    case_id: int
    title: str
    there: SideCell | None
    here: SideCell | None


@dataclass(frozen=True, slots=True)
class ComparisonGroup:
    """The rows of a page that differ in one way."""

    difference: RunDifference
    badge: Badge
    rows: Sequence[ComparisonRow]


def comparison_groups(
    cases: Sequence[ComparedCase], repository_id: int, there_id: int, here_id: int
) -> list[ComparisonGroup]:
    """Return compared cases as rows in their order, group by group; two queries."""
    named = cases_by_slot(cases, repository_id)
    ids = [case.pk for case in named.values()]
    kinds = _finding_kinds(ids, (there_id, here_id))
    return [
        ComparisonGroup(
            difference,
            GROUPS[difference],
            [_row(each, named[each.slot], kinds, there_id, here_id) for each in group],
        )
        for difference, group in groupby(cases, key=lambda each: each.difference)
    ]


def cases_by_slot(cases: Sequence[ComparedCase], repository_id: int) -> dict[int, Case]:
    """Return the rows of compared cases by slot; one query."""
    found = Case.objects.filter(
        repository_id=repository_id, slot__in={each.slot for each in cases}
    ).only("slot", "title")
    return {case.slot: case for case in found}


def _finding_kinds(case_ids: Sequence[int], run_ids: tuple[int, int]) -> FindingKinds:
    found = Finding.objects.filter(
        verdict__run__in=run_ids, verdict__is_current=True, case__in=case_ids
    ).values_list("verdict__run_id", "case_id", "result__part__name", "kind")
    return {(run_id, case_id, leg): FindingKind(kind) for run_id, case_id, leg, kind in found}


def _row(
    each: ComparedCase, case: Case, kinds: FindingKinds, there_id: int, here_id: int
) -> ComparisonRow:
    return ComparisonRow(
        case.pk,
        case.title,
        _cell(each.there, case.pk, there_id, kinds),
        _cell(each.here, case.pk, here_id, kinds),
    )


def _cell(side: Side | None, case_id: int, run_id: int, kinds: FindingKinds) -> SideCell | None:
    if side is None:
        return None
    kind = kinds.get((run_id, case_id, side.leg))
    kept = side.kept if side.kept and side.kept.is_failing else None
    return SideCell(
        badge=FINDINGS[kind] if kind else OUTCOMES[side.code],
        leg=side.leg,
        flips=sorted(side.flips, key=str),
        message=kept.message if kept else "",
        note=FAILED_BEFORE if kept and kept.has_failed and _passed(side.code) else "",
        run_id=run_id if kind else None,
        result_id=kept.result_id if kept and kind else None,
    )


def _passed(code: Code) -> bool:
    return code in {Code.PASSED, Code.PASSED_AFTER_RETRY}
