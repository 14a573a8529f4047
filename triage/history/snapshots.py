"""What was known of a case before a run: the tallies that its judgement starts from."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np

from triage.history.tallies import COUNTERS, MOMENTS, Tally
from triage.models import Epoch, EpochLabel, Part
from triage.models.vectors import Code, Packed, unpack_codes

# A case without LLM calls is held against the reference runs of the same window as a budget's.
WINDOW = timedelta(days=30)
# The newest runs say most; more of them would only cost time.
MOST_PARTS = 200


def tallies_of_epochs(epochs: Sequence[Epoch]) -> dict[int, Tally]:
    """Return the tally per epoch id, label counts included."""
    labels: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    counts = EpochLabel.objects.filter(epoch__in=[epoch.pk for epoch in epochs], calls__gt=0)
    for epoch_id, expected, observed, calls in counts.values_list(
        "epoch_id", "expected", "observed", "calls"
    ):
        labels[epoch_id][expected, observed] = calls
    return {
        epoch.pk: Tally(
            **{name: getattr(epoch, name) for name in (*COUNTERS, *MOMENTS)},
            labels=labels[epoch.pk],
        )
        for epoch in epochs
    }


def tallies_of_slots(
    repository_id: int, slots: Sequence[int], before: datetime
) -> dict[int, Tally]:
    """Return the tally per case slot over the reference runs of the window.

    Read out of the outcome vectors, where every failure is a crash or not to be told from one.
    """
    wanted = np.asarray(slots, dtype=int)
    passed = np.zeros(len(wanted), dtype=int)
    failing = np.zeros(len(wanted), dtype=int)
    for packed in _reference_outcomes(repository_id, before):
        codes = unpack_codes(packed, int(wanted.max(initial=-1)) + 1)[wanted]
        passed += codes == Code.PASSED
        failing += np.isin(codes, (Code.FAILED, Code.ERRORED, Code.PASSED_AFTER_RETRY))
    return {
        slot: Tally(calls=int(good + bad), crash=int(bad))
        for slot, good, bad in zip(slots, passed, failing, strict=True)
    }


def _reference_outcomes(repository_id: int, before: datetime) -> Sequence[Packed]:
    return list(
        Part.objects.filter(
            repository_id=repository_id,
            run__is_reference=True,
            run__at__lt=before,
            run__at__gte=before - WINDOW,
        )
        .order_by("-run__at")
        .values_list("outcomes", flat=True)[:MOST_PARTS]
    )
