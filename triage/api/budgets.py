"""Read where budgets stand, and what was charged to them."""

from typing import Annotated, Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router

from budgets.ledger import LedgerEntry, newest_charges
from triage.models import Token
from triage.verdict.accounts import used_budgets
from triage.verdict.standings import repository_standing

router = Router(tags=["budgets"])

LARGEST_PAGE = 200
PageNumber = Annotated[int, Query(1, ge=1, le=1_000_000, description="Page, from 1.")]
PageSize = Annotated[int, Query(50, ge=1, le=LARGEST_PAGE, description="Entries per page.")]


@router.get("/budgets", summary="Read the budgets of the token's repository", response=dict)
def read_budgets(request: HttpRequest, page: PageNumber = 1, size: PageSize = 50) -> dict[str, Any]:
    """Return the repository's budget and those of its cases, the most used up first."""
    token: Token = request.auth  # type: ignore[attr-defined]
    now = timezone.now()
    listed = Paginator(used_budgets(token.repository_id, now), size).get_page(page)
    return {
        "repo": token.repository.full_name,
        "budget": repository_standing(token.repository_id, now).as_json(),
        "cases": [
            {"case_id": each.case.pk, "case": each.case.title, "budget": each.standing.as_json()}
            for each in listed
        ],
        "page": listed.number,
        "pages": listed.paginator.num_pages,
    }


@router.get("/budgets/charges", summary="Read the ledger, newest entries first", response=dict)
def read_charges(request: HttpRequest, page: PageNumber = 1, size: PageSize = 50) -> dict[str, Any]:
    """Return what was charged and what was taken back. A label flip is never among it."""
    token: Token = request.auth  # type: ignore[attr-defined]
    entries = newest_charges(repository_id=token.repository_id)
    listed = Paginator(entries, size).get_page(page)
    return {
        "repo": token.repository.full_name,
        "charges": [_charge(each) for each in listed],
        "page": listed.number,
        "pages": listed.paginator.num_pages,
    }


def _charge(entry: LedgerEntry) -> dict[str, Any]:
    return {
        "case_id": entry.case_id,
        "case": entry.case.title,
        "run": entry.run_id,
        "amount": entry.amount,
        "difference": entry.difference,
        "reason": entry.reason,
        "at": entry.at.isoformat(),
    }
