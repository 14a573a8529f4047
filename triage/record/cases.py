"""Find the cases of an upload in their repository, or add them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from triage.models import Case, Repository
from triage.models.bulk import insert_rows, update_rows
from triage.record.case_rules import CaseRules
from triage.record.entries import Entry
from triage.record.renames.by_policy import rename_by_policy
from triage.record.titles import title_of

NAME_LENGTH = 1000
EVIDENCE_LENGTH = 500
SEEN_TO = timedelta(hours=1)
# As many ids as any database takes in one statement.
SEEN_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class KnownCase:
    """What recording needs to know of a stored case."""

    id: int
    slot: int
    is_llm: bool
    labels: tuple[str, ...]
    # Whether a run that holds the case has to note that it was seen.
    is_stale: bool = False


def find_or_add_cases(
    repository: Repository, entries: Sequence[Entry], at: datetime, rules: CaseRules
) -> dict[str, KnownCase]:
    """Return the stored case per key. The caller holds the repository's lock.

    A closed set of labels that the policy names takes the place of one that reports told.

    The whole map of the repository is read: that is faster than asking for thousands of keys.
    """
    known = _known_cases(repository, at)
    if rename_by_policy(repository, entries, rules.renames, known):
        known = _known_cases(repository, at)
    _add_new(repository, entries, at, rules, known)
    _update_cases(known, entries, at, rules)
    return _with_label_sets(known, entries, rules)


def find_or_list_cases(
    repository: Repository, entries: Sequence[Entry], at: datetime, rules: CaseRules
) -> dict[str, KnownCase]:
    """Return the stored case per key for a report that nobody vouches for.

    Cases that are new get a row, since there is something to show of them; what is known of the
    others is left as it is. The caller holds the repository's lock.
    """
    known = _known_cases(repository, at)
    _add_new(repository, entries, at, rules, known)
    return _with_label_sets(known, entries, rules)


def _add_new(
    repository: Repository,
    entries: Sequence[Entry],
    at: datetime,
    rules: CaseRules,
    known: dict[str, KnownCase],
) -> None:
    new = [entry for entry in entries if entry.key not in known]
    cases = [
        _new_case(repository, entry, repository.next_slot + number, at, is_llm=rules.is_llm(entry))
        for number, entry in enumerate(new)
    ]
    for case in insert_rows(cases):
        known[case.key] = KnownCase(case.pk, case.slot, case.is_llm, tuple(case.labels))
    repository.next_slot += len(new)
    repository.save(update_fields=["next_slot"])


def _with_label_sets(
    known: dict[str, KnownCase], entries: Sequence[Entry], rules: CaseRules
) -> dict[str, KnownCase]:
    for entry in entries:
        labels = rules.label_set(entry)
        if labels:
            known[entry.key] = replace(known[entry.key], labels=labels)
    return known


def _known_cases(repository: Repository, at: datetime) -> dict[str, KnownCase]:
    cases = Case.objects.filter(repository=repository)
    # Few cases have any; to decode an empty list for each of the others takes longer than to ask.
    labels = dict(cases.exclude(labels=[]).values_list("pk", "labels"))
    stale = set(_stale_cases(cases, at).values_list("pk", flat=True))
    return {
        key: KnownCase(pk, slot, is_llm, tuple(labels.get(pk, ())), pk in stale)
        for key, pk, slot, is_llm in cases.values_list("key", "pk", "slot", "is_llm")
    }


def _stale_cases(cases: QuerySet[Case], at: datetime) -> QuerySet[Case]:
    """Return the cases whose last sight is to be noted anew: exactly where a rename is told by it.

    To the hour elsewhere: exact for all, it would write a row per case and run.
    """
    return cases.filter(Q(is_llm=True) | Q(last_seen_at__lt=at - SEEN_TO), last_seen_at__lt=at)


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
    if not entry.is_llm:
        return ()
    tries = entry.result.tries
    return tuple(dict.fromkeys(label for each in tries for label in each.evidence.labels))


def _update_cases(
    known: dict[str, KnownCase], entries: Sequence[Entry], at: datetime, rules: CaseRules
) -> None:
    """Note what an upload tells anew: LLM calls, labels, and that the case was seen."""
    changed, seen = [], []
    for entry in entries:
        case = known[entry.key]
        labels = told_labels(entry) or case.labels
        is_llm = case.is_llm or rules.is_llm(entry)
        if case.is_stale:
            seen.append(case.id)
        if (is_llm, labels) != (case.is_llm, case.labels):
            known[entry.key] = KnownCase(case.id, case.slot, is_llm, labels)
            changed.append(Case(pk=case.id, is_llm=is_llm, labels=list(labels)))
    for start in range(0, len(seen), SEEN_BATCH):
        batch = seen[start : start + SEEN_BATCH]
        Case.objects.filter(pk__in=batch).update(last_seen_at=at)
    update_rows(changed, ["is_llm", "labels"])
