"""The budgets of a repository: standing, forecast, ledger, and what a rate would mean."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.utils import timezone

from triage.models import Repository
from triage.verdict.accounts import UsedBudget, used_budgets
from triage.verdict.standings import repository_standing
from triage.web.presenters.gauges import Gauge, gauge
from triage.web.presenters.ledger_rows import LedgerRow, ledger_of_repository
from triage.web.presenters.what_if import WhatIf, what_if

BUDGETS_PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """A case's budget with how it is shown."""

    used: UsedBudget
    gauge: Gauge


@dataclass(frozen=True, slots=True)
class BudgetsPage:
    """What the page of budgets shows."""

    repository: Repository
    budget: Gauge
    listed: Page[UsedBudget]
    rows: Sequence[BudgetRow]
    ledger: Sequence[LedgerRow]
    what_if: WhatIf


def budgets_page(repository: Repository, parameters: QueryDict) -> BudgetsPage:
    """Read a repository's budgets; nine queries, however many cases and charges it has."""
    now = timezone.now()
    used = used_budgets(repository.pk, now)
    listed = Paginator(used, BUDGETS_PER_PAGE).get_page(parameters.get("page"))
    return BudgetsPage(
        repository=repository,
        budget=gauge(repository_standing(repository.pk, now).as_json()),
        listed=listed,
        rows=[BudgetRow(each, gauge(each.standing.as_json())) for each in listed],
        ledger=ledger_of_repository(repository),
        what_if=what_if(parameters),
    )
