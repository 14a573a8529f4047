"""The tables of a repository's pages as rows for other tools, whole and not page by page."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import Http404, QueryDict
from django.urls import reverse
from django.utils import timezone

from budgets.ledger import newest_charges
from triage.models import Case, Escalation, Repository, Run
from triage.verdict.accounts import used_budgets
from triage.verdict.run_comparison import Side
from triage.web.pages.cases import CaseActivity, activity_of_cases, sorted_cases
from triage.web.pages.comparison import compared_cases, numbered_run
from triage.web.pages.uploads import listed_uploads
from triage.web.presenters.filters import CaseFilter, RunFilter, UploadFilter
from triage.web.presenters.run_rows import run_rows

ROWS_AT_ONCE = 500
Rows = Iterable[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table that a page shows: its columns, and its rows under the page's own filter."""

    columns: Sequence[str]
    rows: Callable[[Repository, QueryDict], Rows]


def _runs(repository: Repository, parameters: QueryDict) -> Rows:
    runs = RunFilter(parameters).narrow(Run.objects.filter(repository=repository))
    ids = list(runs.order_by("-at", "-pk").values_list("pk", flat=True))
    for some in _slices(ids):
        found = Run.objects.in_bulk(some)
        for row in run_rows([found[pk] for pk in some]):
            run, counts = row.run, row.counts
            yield (
                run.pk, run.sha, run.branch, run.pr, run.ci_run_id, run.attempt, run.at,
                row.badge.word, row.headline, counts.get("passed"), counts.get("failed"),
                counts.get("errored"), counts.get("skipped"), _address("run", run.pk),
            )  # fmt: skip


def _cases(repository: Repository, parameters: QueryDict) -> Rows:
    activity = activity_of_cases(repository.pk, timezone.now())
    ids = sorted_cases(repository.pk, CaseFilter(parameters), activity)
    for some in _slices(ids):
        found = Case.objects.in_bulk(some)
        for pk in some:
            case, recent = found[pk], activity.get(pk, CaseActivity())
            yield (
                pk, case.title, case.file, case.classname, case.name, case.is_llm, recent.calls,
                recent.flips, recent.wording, case.first_seen_at, case.last_seen_at,
                _address("case", pk),
            )  # fmt: skip


def _budgets(repository: Repository, parameters: QueryDict) -> Rows:
    for each in used_budgets(repository.pk, timezone.now()):
        standing = each.standing
        yield (
            each.case.pk, each.case.title, standing.spent, standing.allowance, standing.limit,
            standing.calls, standing.rate_per_call, standing.standing.value,
            _address("case", each.case.pk),
        )  # fmt: skip


def _ledger(repository: Repository, parameters: QueryDict) -> Rows:
    for each in newest_charges(repository_id=repository.pk).iterator(chunk_size=ROWS_AT_ONCE):
        yield (
            each.at, each.case_id, each.case.title, each.amount, each.difference, each.reason,
            each.run_id,
        )  # fmt: skip


def _escalations(repository: Repository, parameters: QueryDict) -> Rows:
    found = Escalation.objects.filter(repository=repository).select_related("case")
    for each in found.order_by("opened_at", "pk").iterator(chunk_size=ROWS_AT_ONCE):
        yield (
            each.pk, each.case_id, each.case.title, each.first_label, each.second_label,
            each.state, each.owner, each.opened_at, each.due_at, _address("escalation", each.pk),
        )  # fmt: skip


def _uploads(repository: Repository, parameters: QueryDict) -> Rows:
    found = listed_uploads(repository, UploadFilter(parameters))
    for each in found.iterator(chunk_size=ROWS_AT_ONCE):
        yield (
            str(each.pk), each.received_at, each.state, len(each.files),
            sum(file["bytes"] for file in each.files), each.part.name, each.run_id,
            each.token.name if each.token else None, each.attempts, each.error or None,
            _address("upload", each.pk),
        )  # fmt: skip


def _comparison(repository: Repository, parameters: QueryDict) -> Rows:
    run = numbered_run(repository, parameters.get("run", ""))
    if run is None:
        raise Http404("Say which run is compared: ?run=NUMBER, and with which one: &with=NUMBER.")
    for each, case in compared_cases(run, parameters):
        yield (
            case.pk, case.title, each.difference.value, *_side(each.there), *_side(each.here),
            _address("case", case.pk),
        )  # fmt: skip


def _side(side: Side | None) -> Sequence[str | None]:
    if side is None:
        return None, None, None, None, None
    kept = side.kept
    flips = " ".join(f"{expected}→{observed}" for expected, observed in sorted(side.flips, key=str))
    told = (kept.difference, kept.message) if kept else (None, None)
    return side.leg, side.code.name.lower(), told[0], flips or None, told[1]


TABLES: Mapping[str, PageTable] = {
    "runs": PageTable(
        ("run_id", "sha", "branch", "pr", "ci_run_id", "attempt", "at", "conclusion", "headline",
         "passed", "failed", "errored", "skipped", "url"),
        _runs,
    ),
    "cases": PageTable(
        ("case_id", "case", "file", "classname", "name", "is_llm", "calls_30_days",
         "label_flips_30_days", "wording_differences_30_days", "first_seen_at", "last_seen_at",
         "url"),
        _cases,
    ),
    "budgets": PageTable(
        ("case_id", "case", "spent", "allowance", "limit", "calls", "accepted_rate_per_call",
         "standing", "url"),
        _budgets,
    ),
    "ledger": PageTable(
        ("at", "case_id", "case", "amount", "difference", "reason", "run_id"),
        _ledger,
    ),
    "escalations": PageTable(
        ("escalation_id", "case_id", "case", "first_label", "second_label", "state", "owner",
         "opened_at", "due_at", "url"),
        _escalations,
    ),
    "uploads": PageTable(
        ("upload_id", "received_at", "state", "files", "bytes", "part", "run_id", "token", "tries",
         "error", "url"),
        _uploads,
    ),
    "comparison": PageTable(
        ("case_id", "case", "change", "part_there", "outcome_there", "difference_there",
         "flips_there", "message_there", "part_here", "outcome_here", "difference_here",
         "flips_here", "message_here", "url"),
        _comparison,
    ),
}  # fmt: skip


def _slices(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + ROWS_AT_ONCE] for start in range(0, len(ids), ROWS_AT_ONCE))


def _address(name: str, pk: object) -> str:
    return f"{settings.TIEBREAK_URL}{reverse(name, args=[pk])}"
