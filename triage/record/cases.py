"""Find the cases of an upload in their repository, or add them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from triage.models import Case, Repository
from triage.models.bulk import update_rows
from triage.parse.report import CaseName
from triage.record.entries import Entry

NAME_LENGTH = 1000
TITLE_LENGTH = 3000
EVIDENCE_LENGTH = 500


@dataclass(frozen=True, slots=True)
class KnownCase:
    """What recording needs to know of a stored case."""

    id: int
    slot: int
    is_llm: bool
    labels: tuple[str, ...]


def find_or_add_cases(
    repository: Repository, entries: Sequence[Entry], at: datetime
) -> dict[str, KnownCase]:
    """Return the stored case per key. The caller holds the repository's lock.

    The whole map of the repository is read: that is faster than asking for thousands of keys.
    """
    known = _known_cases(repository)
    new = [entry for entry in entries if entry.key not in known]
    cases = [
        _new_case(repository, entry, repository.next_slot + number, at)
        for number, entry in enumerate(new)
    ]
    for case in Case.objects.bulk_create(cases, batch_size=1000):
        known[case.key] = KnownCase(case.pk, case.slot, case.is_llm, tuple(case.labels))
    repository.next_slot += len(new)
    repository.save(update_fields=["next_slot"])
    _update_cases(known, entries, at)
    return known


def title_of(case: CaseName) -> str:
    """Return what people read: file::class::name, nothing said twice."""
    suite = " › ".join(part for part in case.suite if part)
    where = case.file or case.classname or suite
    class_ = case.classname if case.file and not _repeats(case.classname, case.file) else ""
    pieces = [where, class_, case.name if case.name != case.classname else ""]
    return "::".join(piece for piece in pieces if piece)[:TITLE_LENGTH] or "(no name)"


def _repeats(classname: str, file: str) -> bool:
    """Whether a class name only spells the file: "tests.evals.test_a" of tests/evals/test_a.py."""
    return classname == file or file.rsplit(".", 1)[0].replace("/", ".").endswith(classname)


def _known_cases(repository: Repository) -> dict[str, KnownCase]:
    rows = Case.objects.filter(repository=repository).values_list(
        "key", "pk", "slot", "is_llm", "labels"
    )
    return {
        key: KnownCase(pk, slot, is_llm, tuple(labels)) for key, pk, slot, is_llm, labels in rows
    }


def _new_case(repository: Repository, entry: Entry, slot: int, at: datetime) -> Case:
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
        is_llm=entry.is_llm,
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


def _update_cases(known: dict[str, KnownCase], entries: Sequence[Entry], at: datetime) -> None:
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
        is_llm = case.is_llm or entry.is_llm
        if (is_llm, labels) != (case.is_llm, case.labels):
            known[entry.key] = KnownCase(case.id, case.slot, is_llm, labels)
            changed.append(Case(pk=case.id, is_llm=is_llm, labels=list(labels)))
    update_rows(changed, ["is_llm", "labels"])
