"""Renames that the policy lists: applied before a case is recorded under its new name."""

from collections.abc import Mapping, Sequence

from triage.models import Case, Repository
from triage.policy.document import Rename
from triage.policy.globs import SEPARATOR
from triage.policy.matching import CaseNames, NamedCase, spellings
from triage.record.entries import Entry
from triage.record.titles import title_of


def rename_by_policy(
    repository: Repository,
    entries: Sequence[Entry],
    renames: Sequence[Rename],
    known: Mapping[str, object],
) -> bool:
    """Give cases their new names where an entry comes under one and the old name is known.

    Return whether any case was renamed.
    """
    new = [entry for entry in entries if entry.key not in known] if renames else []
    if not new:
        return False
    by_spelling = {
        spelling: case
        for case in Case.objects.filter(repository=repository)
        for spelling in _spelled(case)
    }
    found = [(_old_case(entry, renames, by_spelling), entry) for entry in new]
    for old, entry in found:
        if old is not None:
            _rename(old, entry)
    return any(old is not None for old, _ in found)


def _old_case(
    entry: Entry, renames: Sequence[Rename], by_spelling: Mapping[str, Case]
) -> Case | None:
    told = entry.result.case
    names = CaseNames(title_of(told), told.file, told.classname, told.name)
    for spelling in _spelled(names):
        for rename in renames:
            old = by_spelling.get(_old_spelling(rename, spelling))
            if old is not None:
                return old
    return None


def _old_spelling(rename: Rename, spelling: str) -> str:
    """Return what a case was called before, or nothing where the rename is of another one."""
    if not rename.to.endswith("*"):
        return rename.from_ if spelling == rename.to else ""
    start = rename.to.removesuffix("*")
    if not spelling.startswith(start):
        return ""
    return rename.from_.removesuffix("*") + spelling.removeprefix(start)


def _spelled(case: NamedCase) -> list[str]:
    return [f"{path}{SEPARATOR}{name}" for path, name in spellings(case)]


def _rename(case: Case, entry: Entry) -> None:
    told = entry.result.case
    case.key, case.title = entry.key, title_of(told)
    case.file, case.classname, case.name = told.file[:1000], told.classname[:1000], told.name[:1000]
    case.suite = " › ".join(part for part in told.suite if part)[:1000]
    case.save(update_fields=["key", "title", "file", "classname", "name", "suite"])
