"""Read where budgets stand, and what was charged to them."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from budgets.ledger import LedgerEntry, newest_charges
from triage.api.application import ReadingToken
from triage.api.pages import PageNumber, PageSize, page_of, told
from triage.api.schemas import BudgetsPage, ChargesPage
from triage.upload.callers import Caller
from triage.verdict.accounts import used_budgets
from triage.verdict.standings import repository_standing

router = Router(tags=["budgets"], auth=ReadingToken())

HIGHEST_ID = 2**63 - 1
Wanted = Annotated[
    Literal["", "within", "spent", "burning", "too_few_calls"],
    Query("", description="Cases whose budget stands so only."),
]


class ChargeFilters(Schema):
    """What an entry of the ledger must have to be listed."""

    case_id: int | None = Field(None, ge=1, le=HIGHEST_ID, description="Number of the case.")
    run: int | None = Field(None, ge=1, le=HIGHEST_ID, description="Number of the run.")

    def conditions(self) -> dict[str, int]:
        """Return the conditions on the rows; what is not asked for is none."""
        wanted = {"case_id": self.case_id, "run_id": self.run}
        return {name: value for name, value in wanted.items() if value is not None}


@router.get("/budgets", summary="Read the budgets of the token's repository", response=BudgetsPage)
def read_budgets(
    request: HttpRequest, standing: Wanted = "", page: PageNumber = 1, size: PageSize = 50
) -> dict[str, Any]:
    """Return the repository's budget and those of its cases, the most used up first."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    now = timezone.now()
    used = used_budgets(caller.repository_id, now)
    wanted = [each for each in used if standing in {"", each.standing.standing}]
    listed = page_of(wanted, page, size)
    return {
        **told(caller.repository, listed),
        "budget": repository_standing(caller.repository_id, now).as_json(),
        "cases": [
            {"case_id": each.case.pk, "case": each.case.title, "budget": each.standing.as_json()}
            for each in listed
        ],
    }


@router.get(
    "/budgets/charges", summary="Read the ledger, newest entries first", response=ChargesPage
)
def read_charges(
    request: HttpRequest,
    filters: Query[ChargeFilters],
    page: PageNumber = 1,
    size: PageSize = 50,
) -> dict[str, Any]:
    """Return what was charged and what was taken back. A label flip is never among it."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    entries = newest_charges(repository_id=caller.repository_id, **filters.conditions())
    listed = page_of(entries, page, size)
    return {
        **told(caller.repository, listed),
        "charges": [_charge(each) for each in listed],
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
