"""Write what an upload holds into the tables, once, however often it is called."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from triage.classify.calls import (
    SILENT_PASS,
    KnownLabels,
    ResultCalls,
    is_silent_pass,
    read_calls,
)
from triage.history.circumstances import (
    Circumstances,
    Counted,
    Key,
    add_to_circumstances,
    circumstances_of,
    count_calls,
)
from triage.history.epochs import find_epochs, find_or_open_epochs, identity_of
from triage.history.monitoring import watch
from triage.history.snapshots import tallies_of_epochs, tallies_of_slots
from triage.history.suite_state import score_margins, watch_suite
from triage.history.tallies import Tally, add_to_breakdowns, tally
from triage.models import Epoch, Part, Upload
from triage.models.vectors import (
    CODE_OF_OUTCOME,
    Code,
    Codes,
    duration_codes,
    pack,
    unpack_codes,
    unpack_groups,
)
from triage.parse.redaction import Redactor
from triage.parse.report import UploadReading
from triage.policy.document import Policy
from triage.record.case_rules import CaseRules
from triage.record.cases import KnownCase, find_or_add_cases, find_or_list_cases
from triage.record.entries import Entry, entries_of
from triage.record.renames.proposing import propose_renames
from triage.record.rows import Row, write_rows


@dataclass(frozen=True, slots=True)
class Recorded:
    """A case of the upload with the calls it made, which most often are one silent pass."""

    entry: Entry
    case: KnownCase
    calls: ResultCalls = SILENT_PASS


def record(upload: Upload, reading: UploadReading, policy: Policy, redactor: Redactor) -> None:
    """Write cases, outcomes, tallies and rows of an upload; what is secret is not written.

    The caller holds the repository's lock and marks the upload in the same transaction. A case
    that the part already holds is left as it is: the first report of a part's case counts.
    """
    part, run = upload.part, upload.run
    entries = entries_of(reading.reports)
    rules = CaseRules(policy)
    if run.is_trusted:
        cases = find_or_add_cases(upload.repository, entries, run.at, rules)
    else:
        cases = find_or_list_cases(upload.repository, entries, run.at, rules)
    new = _not_yet_in(part, entries, cases)
    epochs = _epochs(part, new)
    labels = tallies_of_epochs([epochs[each.case.id] for each in new if each.case.id in epochs])
    recorded = [
        each
        if is_silent_pass(each.entry.result)
        else _with_calls(each, epochs.get(each.case.id), labels)
        for each in new
    ]
    _write_rows(part, recorded, epochs, labels, redactor)
    if run.is_trusted:
        _add_tallies(part, recorded, epochs)
    _write_vectors(part, recorded)
    if run.is_reference:
        propose_renames(run)
    if any(report.is_incomplete for report in reading.reports):
        run.is_incomplete = True
        run.save(update_fields=["is_incomplete"])


def _not_yet_in(
    part: Part, entries: Sequence[Entry], cases: dict[str, KnownCase]
) -> list[Recorded]:
    slots = 1 + max((cases[entry.key].slot for entry in entries), default=-1)
    held = unpack_codes(part.outcomes, slots).tolist()
    return [
        Recorded(entry, cases[entry.key])
        for entry in entries
        if held[cases[entry.key].slot] == Code.ABSENT
    ]


def _epochs(part: Part, new: Sequence[Recorded]) -> dict[int, Epoch]:
    identities = {each.case.id: identity_of(each.entry.result) for each in new if each.case.is_llm}
    if not part.run.is_trusted:
        return find_epochs(part.repository_id, identities)
    return find_or_open_epochs(part.repository_id, identities, part.run.at)


def _with_calls(each: Recorded, epoch: Epoch | None, known: dict[int, Tally]) -> Recorded:
    labels = KnownLabels(frozenset(each.case.labels), is_closed=bool(each.case.labels))
    if epoch and not labels.is_closed:
        learned = frozenset(label for pair in known[epoch.pk].labels for label in pair)
        labels = KnownLabels(learned)
    calls = read_calls(each.entry.result, labels, is_llm=each.case.is_llm)
    return Recorded(each.entry, each.case, calls)


def _write_rows(
    part: Part,
    recorded: Sequence[Recorded],
    epochs: dict[int, Epoch],
    known: dict[int, Tally],
    redactor: Redactor,
) -> None:
    kept = [each for each in recorded if not each.entry.is_plain_pass]
    plain = [each.case.slot for each in kept if not each.case.is_llm]
    by_slot = tallies_of_slots(part.repository_id, plain, part.run.at) if plain else {}
    rows = []
    for each in kept:
        epoch = epochs.get(each.case.id)
        # A fork's case under a model or a prompt that nobody trusted has shown has no history.
        history = known[epoch.pk] if epoch else by_slot.get(each.case.slot, Tally())
        rows.append(Row(each.entry, each.case.id, epoch.pk if epoch else None, each.calls, history))
    write_rows(part, rows, redactor)


def _add_tallies(part: Part, recorded: Sequence[Recorded], epochs: dict[int, Epoch]) -> None:
    tallies = {
        epochs[each.case.id].pk: tally(each.calls)
        for each in recorded
        if each.case.id in epochs and each.entry.result.outcome != "skipped"
    }
    _watch_suite(part, recorded, epochs, tallies)
    add_to_breakdowns(part.repository_id, tallies, part.run.at)
    add_to_circumstances(
        part.repository_id, _by_circumstances(recorded, epochs, tallies), part.run.at
    )
    watch(list(epochs.values()), tallies, part.run.at)


def _by_circumstances(
    recorded: Sequence[Recorded], epochs: dict[int, Epoch], tallies: dict[int, Tally]
) -> dict[Key, Counted]:
    """Count what was tallied by the circumstances that the reports told."""
    tallied = [
        (epochs[each.case.id].pk, each)
        for each in recorded
        if each.case.id in epochs and epochs[each.case.id].pk in tallies
    ]
    told = {epoch_id: circumstances_of(each.entry.result) for epoch_id, each in tallied}
    counted = count_calls(told, {epoch_id: each.calls.calls for epoch_id, each in tallied})
    for epoch_id, each in tallied:
        # Calls that nothing was told of passed, under what the first try told.
        if each.calls.unrecorded:
            first = (told[epoch_id] or [Circumstances()])[0]
            counted.setdefault((epoch_id, first), Counted()).calls += each.calls.unrecorded
    return counted


def _watch_suite(
    part: Part, recorded: Sequence[Recorded], epochs: dict[int, Epoch], tallies: dict[int, Tally]
) -> None:
    """Advance what is watched over all cases; only a reference run shows the unchanged system."""
    known = list(epochs.values())
    score_margins(part.repository_id, known, tallies)
    if part.run.is_reference:
        call_of = {
            epochs[each.case.id].pk: group
            for each, group in zip(recorded, _shared_calls(recorded, 0), strict=True)
            if each.case.id in epochs
        }
        watch_suite(part.repository_id, known, tallies, call_of)


def _write_vectors(part: Part, recorded: Sequence[Recorded]) -> None:
    slots = 1 + max((each.case.slot for each in recorded), default=-1)
    outcomes = unpack_codes(part.outcomes, slots)
    durations = unpack_codes(part.durations, slots)
    groups = unpack_groups(part.call_groups, slots)
    at = np.array([each.case.slot for each in recorded], dtype=int)
    outcomes[at] = [_code(each.entry) for each in recorded]
    durations[at] = duration_codes([_seconds(each.entry.result.duration_s) for each in recorded])
    groups[at] = _shared_calls(recorded, int(groups.max(initial=0)))
    part.outcomes, part.durations = pack(outcomes), pack(durations)
    part.call_groups = pack(groups) if groups.any() else b""
    _count(part, outcomes)
    part.llm += sum(each.case.is_llm for each in recorded)
    part.save()


def _code(entry: Entry) -> Code:
    if entry.result.passed_after_retry:
        return Code.PASSED_AFTER_RETRY
    return CODE_OF_OUTCOME[entry.result.outcome]


def _seconds(duration_s: float | None) -> float:
    return np.nan if duration_s is None else duration_s


def _shared_calls(recorded: Sequence[Recorded], last: int) -> list[int]:
    """Number the LLM calls that feed several cases; a call of its own gets 0."""
    members: dict[str, list[int]] = defaultdict(list)
    for position, each in enumerate(recorded):
        for response_id in {call.response_id for call in each.calls.calls} - {""}:
            members[response_id].append(position)
    groups = [0] * len(recorded)
    for positions in members.values():
        if len(positions) > 1:
            last += 1
            for position in positions:
                groups[position] = last
    return groups


def _count(part: Part, outcomes: Codes) -> None:
    part.passed = int(np.isin(outcomes, (Code.PASSED, Code.PASSED_AFTER_RETRY)).sum())
    part.failed = int((outcomes == Code.FAILED).sum())
    part.errored = int((outcomes == Code.ERRORED).sum())
    part.skipped = int((outcomes == Code.SKIPPED).sum())
