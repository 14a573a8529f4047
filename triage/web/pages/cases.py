"""The cases of a repository: searched, sorted, each with what it did in the last thirty days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.utils import timezone

from budgets.intervals import credible
from budgets.priors import DEFAULT_PRIOR
from triage.models import Case, Repository
from triage.web.presenters.filters import CaseFilter, CaseOrder
from triage.web.presenters.lively_cases import sums_of_cases
from triage.web.presenters.rates import Rate, rate_of

CASES_PER_PAGE = 50
RECENT = timedelta(days=30)

# What stands first has the lowest; a case that did nothing lately stands last.
Rank = tuple[float, float]
UNRANKED: Rank = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class CaseActivity:
    """What the calls of a case did lately."""

    calls: int = 0
    flips: int = 0
    wording: int = 0


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case of the list; the rates are those of the last thirty days."""

    case: Case
    flips: Rate
    wording: Rate


@dataclass(frozen=True, slots=True)
class CasesPage:
    """What the list of cases shows."""

    repository: Repository
    filter: CaseFilter
    listed: Page[int]
    rows: Sequence[CaseRow]


def cases_page(repository: Repository, parameters: QueryDict) -> CasesPage:
    """Read the list of cases; three queries, however many there are."""
    wanted = CaseFilter(parameters)
    activity = activity_of_cases(repository.pk, timezone.now())
    ids = sorted_cases(repository.pk, wanted, activity)
    listed = Paginator(ids, CASES_PER_PAGE).get_page(parameters.get("page"))
    cases = Case.objects.in_bulk(list(listed))
    rows = [_row(cases[pk], activity.get(pk, CaseActivity())) for pk in listed]
    return CasesPage(repository, wanted, listed, rows)


def activity_of_cases(repository_id: int, now: datetime) -> Mapping[int, CaseActivity]:
    """Return what each LLM case did lately, by case; one that did not run is left out."""
    sums = sums_of_cases(repository_id, (now - RECENT).date())
    return {pk: CaseActivity(*counts) for pk, *counts in sums}


def sorted_cases(
    repository_id: int, wanted: CaseFilter, activity: Mapping[int, CaseActivity]
) -> list[int]:
    """Return the cases that fit, in the order that is asked for."""
    cases = wanted.narrow(Case.objects.filter(repository_id=repository_id))
    is_by_time = wanted.order is CaseOrder.SEEN
    order = ("-last_seen_at", "-pk") if is_by_time else ("title", "pk")
    ids = list(cases.order_by(*order).values_list("pk", flat=True))
    if wanted.order in RANKS:
        ranks = RANKS[wanted.order](activity)
        ids.sort(key=lambda pk: ranks.get(pk, UNRANKED))
    return ids


def _by_flips(activity: Mapping[int, CaseActivity]) -> Mapping[int, Rank]:
    return {pk: (-each.flips, -each.wording) for pk, each in activity.items()}


def _by_wording(activity: Mapping[int, CaseActivity]) -> Mapping[int, Rank]:
    return {pk: (-each.wording, -each.flips) for pk, each in activity.items()}


def _by_uncertainty(activity: Mapping[int, CaseActivity]) -> Mapping[int, Rank]:
    """Rank by how wide the wider of the two rates' intervals is."""
    calls = np.array([each.calls for each in activity.values()])
    counts = np.array([(each.flips, each.wording) for each in activity.values()]).reshape(-1, 2)
    interval = credible(counts, calls[:, None], DEFAULT_PRIOR)
    widths = (interval.high - interval.low).max(axis=1)
    return {pk: (-width, 0.0) for pk, width in zip(activity, widths.tolist(), strict=True)}


RANKS = {
    CaseOrder.FLIPS: _by_flips,
    CaseOrder.WORDING: _by_wording,
    CaseOrder.UNCERTAINTY: _by_uncertainty,
}


def _row(case: Case, activity: CaseActivity) -> CaseRow:
    return CaseRow(
        case,
        rate_of(activity.flips, activity.calls),
        rate_of(activity.wording, activity.calls),
    )
