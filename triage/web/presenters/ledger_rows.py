"""The newest entries of the ledger, of a case or of a repository."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from budgets.ledger import LedgerEntry, newest_charges
from triage.models import Case, Repository

MOST_ENTRIES = 20


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One charge, or one taken back. The run is gone once it was pruned."""

    case_id: int
    case: str
    at: datetime
    amount: int
    difference: str
    reason: str
    run_id: int | None
    sha: str


def ledger_rows(case: Case) -> Sequence[LedgerRow]:
    """Return the entries of a case, newest first; one query."""
    return [_row(each) for each in newest_charges(case_id=case.pk)[:MOST_ENTRIES]]


def ledger_of_repository(repository: Repository) -> Sequence[LedgerRow]:
    """Return the entries of a repository, newest first; one query."""
    return [_row(each) for each in newest_charges(repository_id=repository.pk)[:MOST_ENTRIES]]


def _row(entry: LedgerEntry) -> LedgerRow:
    return LedgerRow(
        case_id=entry.case_id,
        case=entry.case.title,
        at=entry.at,
        amount=entry.amount,
        difference=entry.difference,
        reason=entry.reason,
        run_id=entry.run_id,
        sha=entry.run.sha if entry.run else "",
    )
