"""The newest entries of the ledger for a case."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from triage.models import Case

MOST_ENTRIES = 20


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One charge, or one taken back. The run is gone once it was pruned."""

    at: datetime
    amount: int
    difference: str
    reason: str
    run_id: int | None
    sha: str


def ledger_rows(case: Case) -> Sequence[LedgerRow]:
    """Return the entries of a case, newest first; one query."""
    entries = case.charges.select_related("run").order_by("-at", "-pk")[:MOST_ENTRIES]
    return [
        LedgerRow(
            at=each.at,
            amount=each.amount,
            difference=each.difference,
            reason=each.reason,
            run_id=each.run_id,
            sha=each.run.sha if each.run else "",
        )
        for each in entries
    ]
