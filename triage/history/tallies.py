"""Count calls by how they ended, and add the counts to an epoch's tallies."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import models

from triage.classify.calls import Call, ResultCalls
from triage.models import Epoch, EpochDay, EpochHour, EpochLabel
from triage.models.bulk import add_rows, fields_of, run_over_rows, take_rows
from triage.terms import Difference

COUNTERS = ("calls", "text", "label", "invalid", "unknown", "crash", "provider")
# Sums over the recorded margins, kept per epoch only.
MOMENTS = ("margins", "margin_sum", "margin_squares")


@dataclass(slots=True)
class Tally:
    """Calls counted by how they ended; ``labels`` by (expected, observed).

    Margins are in nats and signed: positive where the expected label was ahead.
    """

    calls: int = 0
    text: int = 0
    label: int = 0
    invalid: int = 0
    unknown: int = 0
    crash: int = 0
    provider: int = 0
    margins: int = 0
    margin_sum: float = 0.0
    margin_squares: float = 0.0
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def wording(self) -> int:
        """Calls that differed in anything a budget may pay for."""
        return self.text + self.invalid + self.unknown

    @property
    def divergent(self) -> int:
        """Calls that differed in any way."""
        return self.wording + self.label + self.crash

    def counters(self) -> list[int]:
        """Return the counts in the order of ``COUNTERS``."""
        return [getattr(self, name) for name in COUNTERS]

    def add_margin(self, margin: float, *, is_expected: bool) -> None:
        """Add one recorded margin."""
        self.margins += 1
        self.margin_sum += margin if is_expected else -margin
        self.margin_squares += margin * margin

    def as_json(self) -> dict[str, Any]:
        """Return the tally as it is stored with a result."""
        stored: dict[str, Any] = {name: getattr(self, name) for name in (*COUNTERS, *MOMENTS)}
        stored["labels"] = [[*pair, calls] for pair, calls in sorted(self.labels.items())]
        return stored

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Tally":
        """Return a tally from what ``as_json`` made."""
        labels = Counter({(e, o): calls for e, o, calls in stored.get("labels", ())})
        return cls(labels=labels, **{name: stored.get(name, 0) for name in (*COUNTERS, *MOMENTS)})


def tally(of_result: ResultCalls) -> Tally:
    """Count the calls of one result."""
    counted = tally_calls(of_result.calls)
    counted.calls += of_result.unrecorded
    return counted


def tally_calls(calls: Iterable[Call]) -> Tally:
    """Count calls. A call without an answer counts apart from all others."""
    counted = Tally()
    for call in calls:
        if call.difference is Difference.PROVIDER:
            counted.provider += 1
            continue
        counted.calls += 1
        if call.difference:
            setattr(counted, call.difference, getattr(counted, call.difference) + 1)
        if call.expected is not None and call.observed is not None:
            counted.labels[call.expected, call.observed] += 1
            if call.margin is not None:
                counted.add_margin(call.margin, is_expected=call.agrees_on_label)
    return counted


def add_to_tallies(repository_id: int, tallies: dict[int, Tally], at: datetime) -> None:
    """Add one result's tally per epoch id to the epoch, its day, its hour and its labels.

    The caller holds the repository's lock.
    """
    _change_epochs(tallies, "+")
    add_to_breakdowns(repository_id, tallies, at)


def add_to_breakdowns(repository_id: int, tallies: dict[int, Tally], at: datetime) -> None:
    """Add one result's tally per epoch id to the epoch's day, its hour and its labels."""
    _insert_or_add(EpochDay, "day", repository_id, at.date(), tallies)
    _insert_or_add(EpochHour, "hour", repository_id, at.hour, tallies)
    _insert_or_add_labels(repository_id, tallies)


def take_from_tallies(tallies: dict[int, Tally], at: datetime) -> None:
    """Take back what ``add_to_tallies`` added with the same arguments."""
    _change_epochs(tallies, "-")
    _subtract(EpochDay, "day", at.date(), tallies)
    _subtract(EpochHour, "hour", at.hour, tallies)
    _subtract_labels(tallies)


def _change_epochs(tallies: dict[int, Tally], sign: str) -> None:
    names = (*COUNTERS, *MOMENTS)
    table = Epoch._meta.db_table
    changes = ", ".join(f"{name} = {table}.{name} {sign} staged.{name}" for name in names)
    run_over_rows(
        f"UPDATE {table} SET {changes}, results = results {sign} 1 "  # noqa: S608
        f"FROM {{staged}} WHERE {table}.id = staged.id",
        fields_of(Epoch, ("id", *names)),
        [[epoch, *(getattr(each, n) for n in names)] for epoch, each in tallies.items()],
    )


def _insert_or_add(
    model: type[models.Model],
    key: str,
    repository_id: int,
    value: object,
    tallies: dict[int, Tally],
) -> None:
    add_rows(
        model,
        ("repository", "epoch", key),
        COUNTERS,
        [[repository_id, epoch, value, *each.counters()] for epoch, each in tallies.items()],
    )


def _subtract(
    model: type[models.Model], key: str, value: object, tallies: dict[int, Tally]
) -> None:
    take_rows(
        model,
        ("epoch", key),
        COUNTERS,
        [[epoch, value, *each.counters()] for epoch, each in tallies.items()],
    )


def _insert_or_add_labels(repository_id: int, tallies: dict[int, Tally]) -> None:
    add_rows(
        EpochLabel,
        ("repository", "epoch", "expected", "observed"),
        ("calls",),
        [[repository_id, *row] for row in _label_rows(tallies)],
    )


def _subtract_labels(tallies: dict[int, Tally]) -> None:
    take_rows(EpochLabel, ("epoch", "expected", "observed"), ("calls",), _label_rows(tallies))


def _label_rows(tallies: dict[int, Tally]) -> list[tuple[int, str, str, int]]:
    return [
        (epoch, expected, observed, calls)
        for epoch, each in tallies.items()
        for (expected, observed), calls in each.labels.items()
    ]
