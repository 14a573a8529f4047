"""An epoch against the one before it: what changed, and whether the rates did."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from scipy import stats

from triage.history.changes import Change, Origin, differences, origin_of
from triage.models import Epoch, EpochLabel

# Below this many calls on either side a difference of rates says nothing.
FEWEST_CALLS = 10
SIGNIFICANCE = 0.05


@dataclass(frozen=True, slots=True)
class LabelChange:
    """How often one label came where one was expected, before and after."""

    expected: str
    observed: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class EpochComparison:
    """Two successive epochs of a case."""

    before: Epoch
    after: Epoch
    changes: tuple[Change, ...]
    # Fisher's exact test of the two rates; None with too few calls on either side.
    wording_p_value: float | None
    label_p_value: float | None
    labels: Sequence[LabelChange]

    @property
    def at(self) -> datetime:
        """When the change was first seen."""
        return self.after.first_seen_at

    @property
    def origin(self) -> Origin:
        """Who changed what differs."""
        return origin_of(self.changes)

    @property
    def rates_changed(self) -> bool | None:
        """Whether a rate differs by more than chance; ``None`` while nothing can be said."""
        told = [p for p in (self.wording_p_value, self.label_p_value) if p is not None]
        return min(told) * len(told) < SIGNIFICANCE if told else None


def compare(before: Epoch, after: Epoch) -> EpochComparison:
    """Compare two epochs of a case; one query."""
    return EpochComparison(
        before,
        after,
        tuple(differences(before, after)),
        _p_value(before, after, [wording(before), wording(after)]),
        _p_value(before, after, [before.label, after.label]),
        _label_changes(before, after),
    )


def wording(epoch: Epoch) -> int:
    """Return the calls that differed in anything a budget may pay for."""
    return epoch.text + epoch.invalid + epoch.unknown


def _p_value(before: Epoch, after: Epoch, divergent: Sequence[int]) -> float | None:
    if min(before.calls, after.calls) < FEWEST_CALLS:
        return None
    table = np.array(
        [
            [divergent[0], before.calls - divergent[0]],
            [divergent[1], after.calls - divergent[1]],
        ]
    )
    return float(stats.fisher_exact(table).pvalue)


def _label_changes(before: Epoch, after: Epoch) -> list[LabelChange]:
    counts: dict[tuple[str, str], list[int]] = {}
    rows = EpochLabel.objects.filter(epoch__in=[before, after], calls__gt=0)
    for epoch_id, expected, observed, calls in rows.values_list(
        "epoch_id", "expected", "observed", "calls"
    ):
        counts.setdefault((expected, observed), [0, 0])[epoch_id == after.pk] = calls
    return [LabelChange(*pair, *made) for pair, made in sorted(counts.items())]
