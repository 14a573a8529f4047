"""Add what a run counted to its epochs, freeze accepted rates, and keep the monitors in step."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from budgets.allowances import accepted_rate
from budgets.monitor import initial_state, update
from budgets.priors import DEFAULT_PRIOR
from triage.history.tallies import COUNTERS, MOMENTS, Tally
from triage.models import Epoch
from triage.models.bulk import update_rows

# DESIGN section 5: a case's accepted rate is its own posterior mean over its first 20 calls.
ACCEPTANCE_CALLS = 20
WATCHED = ("accepted_rate", "monitor", "first_seen_at", "last_seen_at")


def watch(epochs: Sequence[Epoch], tallies: dict[int, Tally], at: datetime) -> None:
    """Advance the epochs by what a run added. ``epochs`` hold the counts from before it.

    All of an epoch is written at once: half of the time that a large upload takes goes into rows.
    """
    touched = [epoch for epoch in epochs if epoch.pk in tallies]
    _advance([epoch for epoch in touched if epoch.accepted_rate is not None], tallies)
    for epoch in touched:
        counted = tallies[epoch.pk]
        calls = epoch.calls + counted.calls
        if epoch.accepted_rate is None and calls >= ACCEPTANCE_CALLS:
            wording = epoch.text + epoch.invalid + epoch.unknown + counted.wording
            epoch.accepted_rate = float(accepted_rate(wording, calls, DEFAULT_PRIOR))
        epoch.last_seen_at = max(epoch.last_seen_at, at)
        epoch.first_seen_at = min(epoch.first_seen_at, at)
        _add(epoch, counted)
    update_rows(touched, [*COUNTERS, *MOMENTS, "results", *WATCHED])


def _add(epoch: Epoch, counted: Tally) -> None:
    for name in (*COUNTERS, *MOMENTS):
        setattr(epoch, name, getattr(epoch, name) + getattr(counted, name))
    epoch.results += 1


def _advance(epochs: Sequence[Epoch], tallies: dict[int, Tally]) -> None:
    if not epochs:
        return
    start = initial_state(1)[0].tolist()
    state = np.array([epoch.monitor or start for epoch in epochs], dtype=float)
    counted = [tallies[epoch.pk] for epoch in epochs]
    moved = update(
        state,
        np.array([each.wording for each in counted]),
        np.array([each.calls for each in counted]),
        np.array([epoch.accepted_rate for epoch in epochs], dtype=float),
    )
    for epoch, row in zip(epochs, moved, strict=True):
        epoch.monitor = row.tolist()
