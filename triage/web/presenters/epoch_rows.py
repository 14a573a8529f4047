"""Epochs as rows: what made each one, and how the case did in it."""

from collections.abc import Sequence
from dataclasses import dataclass

from triage.models import Case, Epoch
from triage.web.presenters.rates import Rate, rate_of

MOST_EPOCHS = 30


@dataclass(frozen=True, slots=True)
class EpochRow:
    """One epoch with its rates."""

    epoch: Epoch
    wording: Rate
    flips: Rate
    is_pinned: bool


def newest_epochs(case: Case) -> list[Epoch]:
    """Return the epochs of a case, newest first; one query."""
    return list(Epoch.objects.filter(case=case).order_by("-number")[:MOST_EPOCHS])


def epoch_rows(epochs: Sequence[Epoch]) -> list[EpochRow]:
    """Return the rows of epochs in their order."""
    return [
        EpochRow(
            epoch=each,
            wording=rate_of(each.text + each.invalid + each.unknown, each.calls),
            flips=rate_of(each.label, each.calls),
            is_pinned=bool(each.model_snapshot),
        )
        for each in epochs
    ]
