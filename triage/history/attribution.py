"""What divergences are associated with: hour, fingerprint, cache, snapshot, speculation."""

from collections.abc import Iterable, Sequence

import numpy as np

from budgets.attribution import Association, associations
from triage.models import Case, EpochCircumstance, Told

# case, snapshot, stratum, fingerprint, cache hit, speculation, calls, wording, label
Row = tuple[int, str, int, str, int, int, int, int, int]
FIELDS = (
    "epoch__case_id", "epoch__model_snapshot", "hours", "fingerprint", "cache_hit", "speculation",
    "calls", "wording", "label",
)  # fmt: skip


def associations_of_case(case: Case) -> list[Association]:
    """Return what can be said of one case's divergences; one query."""
    return _associations(EpochCircumstance.objects.filter(epoch__case=case).values_list(*FIELDS))


def associations_of_repository(repository_id: int) -> list[Association]:
    """Return what can be said of all LLM cases of a repository together; one query."""
    rows = EpochCircumstance.objects.filter(
        repository_id=repository_id, calls__gt=0, epoch__case__is_llm=True
    )
    return _associations(rows.values_list(*FIELDS))


def _associations(found: Iterable[Row]) -> list[Association]:
    rows = [row for row in found if row[6] > 0]
    if not rows:
        return []
    cases, snapshots, hours, fingerprints, caches, speculations, calls, wording, label = zip(
        *rows, strict=True
    )
    levels = {
        "hour of the day": np.array(hours),
        "system fingerprint": _codes(fingerprints),
        "prefix cache": np.array(caches),
        "snapshot": _codes(snapshots),
        "speculation": np.array(speculations),
    }
    told = {name: each for name, each in levels.items() if len(np.unique(each[each >= 0])) > 1}
    if not told:
        return []
    diverged = np.array(wording) + np.array(label)
    return associations(diverged, np.array(cases), told, np.array(calls))


def _codes(names: Sequence[str]) -> np.ndarray:
    """Return a number per name; a name that was not told has none."""
    known = {name: code for code, name in enumerate(sorted(set(names) - {""}))}
    return np.array([known.get(name, int(Told.NOT_TOLD)) for name in names])
