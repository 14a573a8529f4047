"""The append-only ledger: what was charged to a budget, what was taken back, where it stands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from django.db.models import QuerySet, Sum
from django.db.models.functions import TruncDate

from budgets.models import Charge

DAY = TruncDate("at", tzinfo=UTC)
# What readers of the ledger see of an entry; only this module writes any.
LedgerEntry = Charge
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


def charges_by_epoch(
    epoch_ids: Sequence[int], since: date, until: datetime
) -> dict[tuple[int, date], int]:
    """Return the charges less reversals per epoch and UTC day."""
    charges = _charges(since, until).filter(epoch_id__in=epoch_ids)
    sums = charges.values_list("epoch_id", DAY).annotate(total=Sum("amount"))
    return {(epoch_id, day): total for epoch_id, day, total in sums}


def charges_of_repository(repository_id: int, since: date, until: datetime) -> dict[date, int]:
    """Return the charges less reversals of a whole repository per UTC day."""
    charges = _charges(since, until).filter(repository_id=repository_id)
    return dict(charges.values_list(DAY).annotate(total=Sum("amount")))


def move_charges(
    from_case: int, to_case: int, from_epoch: int | None = None, to_epoch: int | None = None
) -> None:
    """Let the entries of a case, or of one of its epochs, stand for another: it was renamed."""
    entries = Charge.objects.filter(case_id=from_case)
    if from_epoch is None:
        entries.update(case_id=to_case)
    else:
        entries.filter(epoch_id=from_epoch).update(case_id=to_case, epoch_id=to_epoch)


def newest_charges(**scope: int) -> QuerySet[LedgerEntry]:
    """Return the entries of a ``case_id``, ``run_id`` or ``repository_id``, newest first."""
    return Charge.objects.filter(**scope).select_related("run", "case").order_by("-at", "-pk")


def charges_before(repository_id: int, at: datetime) -> QuerySet[LedgerEntry]:
    """Return the entries of a repository that are older; a charge and its reversals are as old."""
    return Charge.objects.filter(repository_id=repository_id, at__lt=at)


def _charges(since: date, until: datetime) -> QuerySet[Charge]:
    start = datetime.combine(since, time.min, UTC)
    return Charge.objects.filter(at__gte=start, at__lte=until)


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
