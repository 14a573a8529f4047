"""The append-only ledger: what was charged to a budget, what was taken back, where it stands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Sum

from budgets.models import Charge

REVERSED = "a later judgement found that this was no flake"


@dataclass(frozen=True, slots=True)
class Owed:
    """A divergence to be paid for. ``event`` names it, so it is paid for once."""

    event: str
    case_id: int
    epoch_id: int | None
    run_id: int
    difference: str
    reason: str
    at: datetime


def settle(repository_id: int, run_ids: Sequence[int], owed: Iterable[Owed]) -> None:
    """Make the ledger hold exactly these divergences for what the runs caused.

    What is owed and not charged is charged, what is charged and no longer owed is reversed; both
    by adding entries. Calling it again changes nothing. The caller holds the repository's lock.
    """
    wanted = {each.event: each for each in owed}
    last = _last_entries(repository_id, run_ids)
    new = [
        _charge(repository_id, each, _next_number(last.get(event)))
        for event, each in wanted.items()
        if event not in last or last[event].amount < 0
    ]
    reversals = [
        _reversal(entry)
        for event, entry in last.items()
        if entry.amount > 0 and event not in wanted
    ]
    Charge.objects.bulk_create([*new, *reversals])


def spent_by_case(
    repository_id: int, case_ids: Sequence[int], since: datetime, until: datetime
) -> dict[int, int]:
    """Return the charges less reversals per case within a stretch of time."""
    sums = (
        Charge.objects.filter(
            repository_id=repository_id, case_id__in=case_ids, at__gt=since, at__lte=until
        )
        .values_list("case_id")
        .annotate(spent=Sum("amount"))
    )
    return dict(sums)


def spent_by_repository(repository_id: int, since: datetime, until: datetime) -> int:
    """Return the charges less reversals of a whole repository within a stretch of time."""
    total = Charge.objects.filter(
        repository_id=repository_id, at__gt=since, at__lte=until
    ).aggregate(spent=Sum("amount"))
    return total["spent"] or 0


def _last_entries(repository_id: int, run_ids: Sequence[int]) -> dict[str, Charge]:
    entries = Charge.objects.filter(repository_id=repository_id, run_id__in=run_ids)
    return {entry.event: entry for entry in entries.order_by("number")}


def _next_number(last: Charge | None) -> int:
    return 0 if last is None else last.number + 1


def _charge(repository_id: int, owed: Owed, number: int) -> Charge:
    return Charge(
        repository_id=repository_id,
        case_id=owed.case_id,
        epoch_id=owed.epoch_id,
        run_id=owed.run_id,
        event=owed.event,
        number=number,
        difference=owed.difference,
        amount=1,
        reason=owed.reason[:300],
        at=owed.at,
    )


def _reversal(charge: Charge) -> Charge:
    return Charge(
        repository_id=charge.repository_id,
        case_id=charge.case_id,
        epoch_id=charge.epoch_id,
        run_id=charge.run_id,
        event=charge.event,
        number=charge.number + 1,
        difference=charge.difference,
        amount=-1,
        reason=REVERSED,
        at=charge.at,
    )
