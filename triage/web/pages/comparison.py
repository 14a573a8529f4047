"""A run held against its base, or against any other run of its repository."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, QueryDict

from triage.models import Case, Repository, Run
from triage.verdict.base import base_run
from triage.verdict.run_comparison import ComparedCase, RunComparison, RunDifference, compare_runs
from triage.verdict.run_states import RunState, run_state
from triage.web.presenters.badges import Badge
from triage.web.presenters.comparison_rows import (
    GROUPS,
    ComparisonGroup,
    cases_by_slot,
    comparison_groups,
)
from triage.web.presenters.run_rows import RunRow, run_rows

CASES_PER_PAGE = 50
CASES_AT_ONCE = 500
# Of the branch, and of the default branch.
MOST_CHOICES = 10
# No database numbers its rows higher.
MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class GroupCount:
    """How many cases differ in one way."""

    difference: RunDifference
    badge: Badge
    cases: int


@dataclass(frozen=True, slots=True)
class RunChoices:
    """Runs that another one may be compared with: its base first, then the newest ones."""

    base: Sequence[RunRow]
    branch: Sequence[RunRow]
    default_branch: Sequence[RunRow]


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """What the page shows. Without another run, or without results, nothing is compared."""

    here: RunRow
    there: RunRow | None
    is_base: bool
    # What is not known of either run, in sentences.
    gaps: Sequence[str]
    counts: Sequence[GroupCount]
    unchanged: int
    # Of which group the list is; None for all of them.
    only: RunDifference | None
    listed: Page[ComparedCase] | None
    groups: Sequence[ComparisonGroup]
    choices: RunChoices


def comparison_page(run: Run, parameters: QueryDict) -> ComparisonPage:
    """Compare a run with the one that ``?with=`` names, or its base; fifteen queries at most.

    Raises ``Http404`` when its repository has no such run.
    """
    base = base_run(run)
    other = _asked_run(run, parameters) or base
    there, here = (run_state(other) if other else None), run_state(run)
    found = _compared(there, here)
    only = _only(parameters)
    listed = _listed(found, only, parameters) if found else None
    shown = run_rows([run, *([other] if other else [])])
    return ComparisonPage(
        here=shown[0],
        there=shown[1] if other else None,
        is_base=other is not None and other == base,
        gaps=[*_no_base(run, other), *_gaps(other, there), *_gaps(run, here)],
        counts=_counts(found) if found else [],
        unchanged=found.unchanged if found else 0,
        only=only,
        listed=listed,
        groups=_groups(listed, run, other) if listed and other else [],
        choices=_choices(run, base),
    )


def compared_cases(run: Run, parameters: QueryDict) -> Iterator[tuple[ComparedCase, Case]]:
    """Return every case that differs, with its row; none where nothing can be compared.

    Raises ``Http404`` when the run's repository has no run that ``?with=`` names.
    """
    other = _asked_run(run, parameters) or base_run(run)
    found = _compared(run_state(other), run_state(run)) if other else None
    cases = found.cases if found else []
    for start in range(0, len(cases), CASES_AT_ONCE):
        some = cases[start : start + CASES_AT_ONCE]
        named = cases_by_slot(some, run.repository_id)
        yield from ((each, named[each.slot]) for each in some)


def numbered_run(repository: Repository, told: str) -> Run | None:
    """Return the run of a repository with this number, if it has one."""
    if not (told.isascii() and told.isdecimal() and len(told) <= MOST_DIGITS):
        return None
    runs = Run.objects.filter(repository=repository, pk=int(told))
    return runs.select_related("repository").first()


def _asked_run(run: Run, parameters: QueryDict) -> Run | None:
    told = parameters.get("with", "").strip()
    found = numbered_run(run.repository, told)
    if told and found is None:
        raise Http404(
            f"{run.repository} has no run “{told[:50]}” to compare with. The address of a run's "
            "page holds its number."
        )
    return found


def _compared(there: RunState | None, here: RunState) -> RunComparison | None:
    """Compare two runs, if reports of both are kept."""
    return compare_runs(there, here) if there and there.codes and here.codes else None


def _only(parameters: QueryDict) -> RunDifference | None:
    told = parameters.get("group", "")
    return RunDifference(told) if told in list(RunDifference) else None


def _listed(
    found: RunComparison, only: RunDifference | None, parameters: QueryDict
) -> Page[ComparedCase]:
    cases = [each for each in found.cases if only in (None, each.difference)]
    return Paginator(cases, CASES_PER_PAGE).get_page(parameters.get("page"))


def _groups(listed: Page[ComparedCase], run: Run, other: Run) -> list[ComparisonGroup]:
    return comparison_groups(list(listed), run.repository_id, other.pk, run.pk)


def _counts(found: RunComparison) -> list[GroupCount]:
    return [GroupCount(each, GROUPS[each], cases) for each, cases in found.counts.items()]


def _no_base(run: Run, other: Run | None) -> list[str]:
    if other is not None:
        return []
    if run.base_sha:
        return [f"Its base, commit {run.base_sha[:7]}, has no run here: choose another run."]
    return ["No earlier run of the default branch is here to compare with: choose another run."]


def _gaps(run: Run | None, state: RunState | None) -> list[str]:
    """Return what is not known of a run, since it bears on what seems to differ."""
    if run is None or state is None:
        return []
    if run.pruned_at:
        return [
            f"The results of run {run.pk} were deleted on {run.pruned_at:%Y-%m-%d}, because they "
            "are kept for a limited time: nothing of it can be compared any more."
        ]
    if not state.codes:
        return [f"No report of run {run.pk} has been recorded: there is nothing to compare yet."]
    return [*_missing_parts(run, state), *_cut_off(run, state)]


def _missing_parts(run: Run, state: RunState) -> list[str]:
    told = max((each.parts_expected or 0 for each in state.attempts), default=0)
    got = len(state.codes)
    if told <= got:
        return []
    return [
        f"Run {run.pk} has {got} of {told} parts: cases that seem to be gone may be in the others."
    ]


def _cut_off(run: Run, state: RunState) -> list[str]:
    if not any(each.is_incomplete for each in state.attempts):
        return []
    return [f"A report of run {run.pk} was cut off: cases after the cut are not known."]


def _choices(run: Run, base: Run | None) -> RunChoices:
    kept = Run.objects.filter(repository_id=run.repository_id, pruned_at__isnull=True)
    others = kept.exclude(pk=run.pk).select_related("repository").order_by("-at", "-pk")
    known = {base.pk} if base else set()
    branch = _newest(others.filter(branch=run.branch) if run.branch else others.none(), known)
    default = _newest(others.filter(is_reference=True), known | {each.pk for each in branch})
    rows = {row.run.pk: row for row in run_rows([*([base] if base else []), *branch, *default])}
    return RunChoices(
        [rows[base.pk]] if base else [],
        [rows[each.pk] for each in branch],
        [rows[each.pk] for each in default],
    )


def _newest(runs: QuerySet[Run], known: set[int]) -> list[Run]:
    return [run for run in runs[: MOST_CHOICES + len(known)] if run.pk not in known][:MOST_CHOICES]
