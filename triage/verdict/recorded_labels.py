"""Rebuild, out of what is stored, which label each case showed in each reference run."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from triage.history.vocabularies import suite_of, vocabularies
from triage.models import Case, Epoch, EpochLabel, Observation, Part, Run
from triage.models.vectors import Code, unpack_codes
from triage.terms import Difference
from triage.verdict.label_replays import EXPECTED, NO_ANSWER, Counts, RecordedLabels
from triage.verdict.weighing import FEWEST_LABELS

# What is older says little of the gate as it is, and would only cost time.
MOST_RUNS = 200

Outcomes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """The labels of a repository's reference runs, and what was left out of them."""

    labels: RecordedLabels
    # When the first of the runs took place; None without a run.
    since: datetime | None
    # LLM cases of which no label is known, or that expect several.
    without_label: int
    with_several: int


@dataclass(frozen=True, slots=True)
class _LabelledCase:
    """A case that expects one label: where it stands in the vectors, and what it can show."""

    case: Case
    epoch: Epoch
    # The expected label first.
    labels: tuple[str, ...]


def read_labels(repository_id: int) -> LabelRecord:
    """Read the newest reference runs, first attempts only, as far as a case's epoch reaches.

    A plain pass showed the expected label. Of a case with several calls in a run the first one
    that was answered stands for the run.
    """
    runs = _reference_runs(repository_id)
    cases = list(Case.objects.filter(repository_id=repository_id, is_llm=True).order_by("slot"))
    outcomes = _outcomes(runs, [case.slot for case in cases])
    executed = ~np.isin(outcomes, (Code.ABSENT, Code.SKIPPED))
    epochs = _epochs_of_last_runs(repository_id, runs, cases, executed)
    pairs = _pairs(epochs)
    several = sum(len({expected for expected, _ in each}) > 1 for each in pairs.values())
    labelled = _labelled(repository_id, cases, epochs, pairs)
    row_of = {case.pk: row for row, case in enumerate(cases)}
    rows = [row_of[each.case.pk] for each in labelled]
    labels = _plain_passes(runs, labelled, outcomes[rows])
    _write_answers(labels, runs, labelled)
    kinds = np.array([max(len(each.labels), FEWEST_LABELS) for each in labelled], dtype=np.int64)
    return LabelRecord(
        RecordedLabels(labels, kinds, executed.sum(axis=0)),
        since=runs[0].at if runs else None,
        without_label=len(cases) - len(labelled) - several,
        with_several=several,
    )


def _reference_runs(repository_id: int) -> list[Run]:
    """Return the runs, oldest first. Later attempts repeat what failed, so they are no sample."""
    runs = Run.objects.filter(
        repository_id=repository_id, is_reference=True, attempt=1, pruned_at__isnull=True
    )
    return list(runs.order_by("-at", "-pk")[:MOST_RUNS])[::-1]


def _outcomes(runs: Sequence[Run], slots: Sequence[int]) -> Outcomes:
    """Return outcome codes, shape (n_cases, n_runs)."""
    columns = {run.pk: column for column, run in enumerate(runs)}
    outcomes = np.full((len(slots), len(runs)), Code.ABSENT, dtype=np.uint8)
    wanted = np.asarray(slots, dtype=int)
    parts = Part.objects.filter(run__in=columns).order_by("pk").values_list("run_id", "outcomes")
    for run_id, packed in parts:
        codes = unpack_codes(packed, int(wanted.max(initial=-1)) + 1)[wanted]
        column = outcomes[:, columns[run_id]]
        np.copyto(column, codes, where=codes != Code.ABSENT)
    return outcomes


def _epochs_of_last_runs(
    repository_id: int, runs: Sequence[Run], cases: Sequence[Case], executed: npt.NDArray[np.bool_]
) -> dict[int, Epoch]:
    """Return the epoch, by case id, that a case was in when a reference run last executed it.

    The newest epoch may be one that a pull request tries out.
    """
    last_at = {
        case.pk: runs[int(np.flatnonzero(row)[-1])].at
        for case, row in zip(cases, executed, strict=True)
        if row.any()
    }
    return {
        epoch.case_id: epoch
        for epoch in Epoch.objects.filter(repository_id=repository_id).order_by("number")
        if epoch.case_id in last_at
        and epoch.first_seen_at <= last_at[epoch.case_id] <= epoch.last_seen_at
    }


def _pairs(epochs: Mapping[int, Epoch]) -> dict[int, set[tuple[str, str]]]:
    """Return the pairs of expected and observed labels by case id."""
    pairs: dict[int, set[tuple[str, str]]] = defaultdict(set)
    rows = EpochLabel.objects.filter(epoch__in=list(epochs.values()), calls__gt=0)
    for case_id, *pair in rows.values_list("epoch__case_id", "expected", "observed"):
        pairs[case_id].add((pair[0], pair[1]))
    return pairs


def _labelled(
    repository_id: int,
    cases: Sequence[Case],
    epochs: Mapping[int, Epoch],
    pairs: Mapping[int, set[tuple[str, str]]],
) -> list[_LabelledCase]:
    known = vocabularies(repository_id)
    labelled = []
    for case in cases:
        expected = {wanted for wanted, _ in pairs.get(case.pk, ())}
        if len(expected) != 1:
            continue
        closed = case.labels or known.get(suite_of(case), frozenset())
        others = {observed for _, observed in pairs[case.pk]} | set(closed)
        labels = (*expected, *sorted(others - expected))
        labelled.append(_LabelledCase(case, epochs[case.pk], labels))
    return labelled


def _plain_passes(
    runs: Sequence[Run], labelled: Sequence[_LabelledCase], outcomes: Outcomes
) -> Counts:
    """Return the labels of the runs that a case passed within its epoch; no answer elsewhere."""
    times = np.array([run.at.timestamp() for run in runs])
    begun = np.array([each.epoch.first_seen_at.timestamp() for each in labelled])
    within = times[None, :] >= begun[:, None]
    return np.where(within & (outcomes == Code.PASSED), EXPECTED, NO_ANSWER).astype(np.int64)


def _write_answers(labels: Counts, runs: Sequence[Run], labelled: Sequence[_LabelledCase]) -> None:
    """Put in what the calls of stored results showed."""
    columns = {run.pk: column for column, run in enumerate(runs)}
    rows = {each.case.pk: row for row, each in enumerate(labelled)}
    for observation in _first_answers(columns):
        row = rows.get(observation.result.case_id)
        if row is not None:
            column = columns[observation.result.run_id]
            labels[row, column] = _code(observation, labelled[row])


def _first_answers(run_ids: Mapping[int, int]) -> Iterator[Observation]:
    """Return each result's first call that was answered."""
    seen: set[int] = set()
    observations = (
        Observation.objects.filter(result__run__in=run_ids)
        .exclude(difference=Difference.PROVIDER)
        .select_related("result")
        .order_by("result_id", "try_index", "call_index")
    )
    for observation in observations.iterator():
        if observation.result_id not in seen:
            seen.add(observation.result_id)
            yield observation


def _code(observation: Observation, case: _LabelledCase) -> int:
    if observation.result.epoch_id != case.epoch.pk:
        return NO_ANSWER
    if observation.expected == case.labels[EXPECTED] and observation.observed in case.labels:
        return case.labels.index(observation.observed)
    if observation.difference is None and observation.expected is None:
        return EXPECTED
    return NO_ANSWER
