"""Merge the entries of one case as its dialect means them: retries, repetitions, rows, phases."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from triage.parse.dialects.dialect import Dialect, Group
from triage.parse.report import CaseName, Result, Try
from triage.parse.xml_stream import RawCase
from triage.terms import Merge, Outcome

# "t[2-3]" is repetition 2 of 3, "t[a-2-3]" the same of t[a].
REPETITION = re.compile(r"(?P<stem>.*)\[(?:(?P<parameters>.*)-)?(?P<index>\d+)-(?P<count>\d+)\]")


@dataclass(frozen=True, slots=True)
class Merged:
    """Results in document order, and how many identities had several entries."""

    results: list[Result]
    # Positions of entries that share their name, by the position of the first.
    groups: dict[int, list[int]]


def merge_entries(
    raws: Sequence[RawCase], results: list[Result], dialect: Dialect, most_rows: int
) -> Merged:
    """Return the results of a document, entries of one case merged as the dialect says.

    Entries are of one case when they share their names within one <testsuite>: the same names in
    another suite are another shard, job or browser, and what passes in one and fails in the
    other is no retry.
    """
    groups = _groups(raws, results)
    if not groups:
        return Merged(results, groups)
    inner = {index for group in groups.values() for index in group}
    is_uniform = len(inner) == len(results) and len({len(each) for each in groups.values()}) == 1
    merged: list[Result] = []
    for index, result in enumerate(results):
        if index in groups:
            members = groups[index]
            group = Group([raws[i] for i in members], [results[i] for i in members], is_uniform)
            merged += _merge_group(group, dialect, most_rows)
        elif index not in inner:
            merged.append(result)
    return Merged(merged, groups)


def merge_repetitions(results: list[Result]) -> list[Result]:
    """Merge repetitions that carry their number in the name: t[1-3], t[2-3], t[3-3].

    Only when every number is there: otherwise "[1-3]" is a parameter like any other.
    """
    groups: dict[tuple[CaseName, int], dict[int, Result]] = {}
    for result in results:
        name = result.case.name
        if name[-1:] != "]" or "-" not in name:
            continue
        match = REPETITION.fullmatch(name)
        if match and len(match["index"]) + len(match["count"]) < 12:
            stem = _without_repetition(result.case, match)
            groups.setdefault((stem, int(match["count"])), {})[int(match["index"])] = result
    whole = {
        id(result): (stem, group)
        for (stem, count), group in groups.items()
        if count > 1 and sorted(group) == list(range(1, count + 1))
        for result in group.values()
    }
    return _replaced(results, whole) if whole else results


def merged_outcome(tries: Sequence[Try], merge: Merge) -> Outcome:
    """Return how a case ended whose tries are attempts, samples, rows or phases."""
    if merge is Merge.RETRY and tries[-1].outcome is Outcome.PASSED:
        return Outcome.PASSED
    if merge is Merge.PHASES:
        return tries[0].outcome if tries[0].outcome.is_failing else tries[-1].outcome
    failing = [attempt.outcome for attempt in tries if attempt.outcome.is_failing]
    return failing[0] if failing else tries[-1].outcome


def _groups(raws: Sequence[RawCase], results: Sequence[Result]) -> dict[int, list[int]]:
    """Return the positions of entries that share their names within their suite."""
    if len({result.case.name for result in results}) == len(results):
        return {}
    first: dict[tuple[object, ...], int] = {}
    groups: dict[int, list[int]] = {}
    for index, (raw, result) in enumerate(zip(raws, results, strict=True)):
        case = result.case
        key = (id(raw.suite), case.file, case.classname, case.name)
        known = first.setdefault(key, index)
        if known != index:
            groups.setdefault(known, [known]).append(index)
    return groups


def _merge_group(group: Group, dialect: Dialect, most_rows: int) -> list[Result]:
    merge = dialect.merge(group)
    is_joined = dialect.joins_rows or len(group.results) > most_rows
    if merge is Merge.ROWS and not is_joined:
        return [replace(result, merge=Merge.ROWS) for result in group.results]
    tries = [attempt for result in group.results for attempt in result.tries]
    if merge is Merge.RETRY and dialect.blanks_are_failures:
        tries = _blanks_as_failures(group)
    if merge is Merge.RETRY and dialect.lists_failures_first:
        tries = sorted(tries, key=lambda attempt: not attempt.outcome.is_failing)
    first, last = group.results[0], group.results[-1]
    outcome = merged_outcome(tries, merge)
    return [Result(first.case, outcome, last.duration_s, tuple(tries), merge, first.line)]


def _blanks_as_failures(group: Group) -> list[Try]:
    return [
        *(
            replace(attempt, outcome=Outcome.FAILED) if not raw.children else attempt
            for raw, result in zip(group.raws[:-1], group.results[:-1], strict=True)
            for attempt in result.tries
        ),
        *group.results[-1].tries,
    ]


def _replaced(
    results: Sequence[Result], whole: dict[int, tuple[CaseName, dict[int, Result]]]
) -> list[Result]:
    kept, done = [], set()
    for result in results:
        stem, group = whole.get(id(result), (None, {}))
        if stem is None:
            kept.append(result)
        elif stem not in done:
            done.add(stem)
            tries = tuple(t for index in sorted(group) for t in group[index].tries)
            outcome = merged_outcome(tries, Merge.REPETITION)
            kept.append(Result(stem, outcome, result.duration_s, tries, Merge.REPETITION))
    return kept


def _without_repetition(case: CaseName, match: re.Match[str]) -> CaseName:
    parameters = match["parameters"]
    name = f"{match['stem']}[{parameters}]" if parameters is not None else match["stem"]
    return replace(case, name=name)
