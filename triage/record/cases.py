"""Find the cases of an upload in their repository, or add them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from triage.models import Case, Repository
from triage.models.bulk import update_rows
from triage.record.case_rules import CaseRules
from triage.record.entries import Entry
from triage.record.renames.by_policy import rename_by_policy
from triage.record.titles import title_of

NAME_LENGTH = 1000
EVIDENCE_LENGTH = 500


@dataclass(frozen=True, slots=True)
class KnownCase:
    """What recording needs to know of a stored case."""

    id: int
    slot: int
    is_llm: bool
    labels: tuple[str, ...]


def find_or_add_cases(
    repository: Repository, entries: Sequence[Entry], at: datetime, rules: CaseRules
) -> dict[str, KnownCase]:
    """Return the stored case per key. The caller holds the repository's lock.

    A closed set of labels that the policy names takes the place of one that reports told.

    The whole map of the repository is read: that is faster than asking for thousands of keys.
    """
    known = _known_cases(repository)
    if rename_by_policy(repository, entries, rules.renames, known):
        known = _known_cases(repository)
    new = [entry for entry in entries if entry.key not in known]
    cases = [
        _new_case(repository, entry, repository.next_slot + number, at, is_llm=rules.is_llm(entry))
        for number, entry in enumerate(new)
    ]
    for case in Case.objects.bulk_create(cases, batch_size=1000):
        known[case.key] = KnownCase(case.pk, case.slot, case.is_llm, tuple(case.labels))
    repository.next_slot += len(new)
    repository.save(update_fields=["next_slot"])
    _update_cases(known, entries, at, rules)
    for entry in entries:
        labels = rules.label_set(entry)
        if labels:
            known[entry.key] = replace(known[entry.key], labels=labels)
    return known


def _known_cases(repository: Repository) -> dict[str, KnownCase]:
    rows = Case.objects.filter(repository=repository).values_list(
        "key", "pk", "slot", "is_llm", "labels"
    )
    return {
        key: KnownCase(pk, slot, is_llm, tuple(labels)) for key, pk, slot, is_llm, labels in rows
    }


def _new_case(
    repository: Repository, entry: Entry, slot: int, at: datetime, *, is_llm: bool
) -> Case:
    name = entry.result.case
    return Case(
        repository=repository,
        key=entry.key,
        slot=slot,
        suite=" › ".join(part for part in name.suite if part)[:NAME_LENGTH],
        file=name.file[:NAME_LENGTH],
        classname=name.classname[:NAME_LENGTH],
        name=name.name[:NAME_LENGTH] or "(no name)",
        title=title_of(name),
        is_llm=is_llm,
        hides_retries=entry.hides_retries,
        missing_evidence=entry.missing_evidence[:EVIDENCE_LENGTH],
        labels=list(told_labels(entry)),
        first_seen_at=at,
        last_seen_at=at,
    )


def told_labels(entry: Entry) -> tuple[str, ...]:
    """Return the closed set of labels that a report tells for a case."""
    tries = entry.result.tries
    return tuple(dict.fromkeys(label for each in tries for label in each.evidence.labels))


def _update_cases(
    known: dict[str, KnownCase], entries: Sequence[Entry], at: datetime, rules: CaseRules
) -> None:
    """Note what an upload tells anew: LLM calls, labels, and that the case was seen."""
    seen = [known[entry.key].id for entry in entries]
    for start in range(0, len(seen), 1000):
        Case.objects.filter(pk__in=seen[start : start + 1000], last_seen_at__lt=at).update(
            last_seen_at=at
        )
    changed = []
    for entry in entries:
        case = known[entry.key]
        labels = told_labels(entry) or case.labels
        is_llm = case.is_llm or rules.is_llm(entry)
        if (is_llm, labels) != (case.is_llm, case.labels):
            known[entry.key] = KnownCase(case.id, case.slot, is_llm, labels)
            changed.append(Case(pk=case.id, is_llm=is_llm, labels=list(labels)))
    update_rows(changed, ["is_llm", "labels"])
