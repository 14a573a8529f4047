"""What an evaluation tool wrote beside its JUnit report, in a form that does not know the tool."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from triage.parse.evidence import with_defaults
from triage.parse.report import Evidence, Failure, Observation, Report, Result, Try
from triage.parse.storable import storable

# The keys that people give a label in a record or in the variables of a test, the surest first.
LABEL_KEYS = ("expected_label", "label", "category", "class", "intent", "classification")
# A label is short and on one line; everything longer is prose, of which only the hash is kept.
LONGEST_LABEL = 50

# Suite and name of a case as its JUnit report writes them; "" where the side file tells no suite.
CaseRef = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Told:
    """What a side file tells of one execution: evidence, and why its assertions failed."""

    evidence: Evidence
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SideFile:
    """A file that was read beside a report. ``tool`` names the tool that wrote both."""

    file: str
    tool: str
    told: Mapping[CaseRef, Told]


def attach(report: Report, told: Mapping[CaseRef, Told]) -> int:
    """Add to a report's tries what a side file tells of them; return of how many it does."""
    attached = 0
    for position, result in enumerate(report.results):
        found = [_find(told, result, name) for name in _names(result)]
        attached += sum(each is not None for each in found)
        if any(found):
            tries = tuple(
                _with(attempt, each) for attempt, each in zip(result.tries, found, strict=True)
            )
            report.results[position] = replace(result, tries=tries)
    return attached


def observed(expected: str | None, seen: str | None) -> tuple[Observation, ...]:
    """Return the observation of two labels, none when either is missing or no label."""
    if expected is None or seen is None or not (is_label(expected) and is_label(seen)):
        return ()
    return (Observation(storable(expected.strip()), storable(seen.strip())),)


def is_label(text: str) -> bool:
    """Whether a text is short enough to be a label."""
    return 0 < len(text.strip()) <= LONGEST_LABEL and "\n" not in text.strip()


def digest(text: object) -> str | None:
    """Return the SHA-256 of a text, hex, or ``None`` when there is no text."""
    if not isinstance(text, str) or not text:
        return None
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _names(result: Result) -> list[str]:
    """Return the name that each try had in the report, repetitions with their number."""
    name, count = result.case.name, len(result.tries)
    if count == 1:
        return [name]
    stem, bracket, rest = name.partition("[")
    inner = f"{rest[:-1]}-" if bracket else ""
    return [f"{stem}[{inner}{number + 1}-{count}]" for number in range(count)]


def _find(told: Mapping[CaseRef, Told], result: Result, name: str) -> Told | None:
    suite = result.case.suite[-1] if result.case.suite else ""
    return told.get((suite, name)) or told.get(("", name))


def _with(attempt: Try, told: Told | None) -> Try:
    if told is None:
        return attempt
    evidence = told.evidence
    if not attempt.outcome.is_failing:
        # A judge may accept what is not the expected text; a test that passed saw no flip.
        agreeing = tuple(each for each in evidence.observations if each.expected == each.observed)
        evidence = replace(evidence, observations=agreeing)
    failures = attempt.failures
    if failures and told.reason:
        failures = (_explained(failures[0], told.reason), *failures[1:])
    return replace(attempt, evidence=with_defaults(attempt.evidence, evidence), failures=failures)


def _explained(failure: Failure, reason: str) -> Failure:
    return replace(failure, text=storable(reason), length=len(reason))
