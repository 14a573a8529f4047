"""promptfoo's results.json: outputs, assertions and repetitions that its JUnit report leaves out.

https://www.promptfoo.dev/docs/configuration/outputs
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from triage.parse.limits import Limits
from triage.parse.merging import merged_outcome
from triage.parse.report import Evidence, Observation, ReadWarning, Report, Result
from triage.parse.side_files import LABEL_KEYS, CaseRef, Told, digest, observed
from triage.parse.storable import storable
from triage.terms import Merge

TOOL = "promptfoo"
LONGEST_OUTPUT = 2_000
NUMBERED = re.compile(r"test (?P<number>\d+)(?:: (?P<description>.*))?", re.S)
# JSON.parse(output).label === 'fraud', and contains '"label":"fraud"'.
COMPARED_FIELD = re.compile(
    r"(?:\.(?P<field>\w+)|\[['\"](?P<key>\w+)['\"]\]|\"(?P<json>\w+)\")\s*(?:={2,3}|:)\s*"
    r"['\"](?P<value>[^'\"]{1,50})['\"]"
)


@dataclass(frozen=True, slots=True)
class PromptfooResults:
    """What a results.json tells per case, and which cases repeat one test."""

    told: Mapping[CaseRef, Told]
    # The test that a case repeats: cases with the same value are repetitions.
    tests: Mapping[CaseRef, str]


def read_results(data: Any, limits: Limits) -> PromptfooResults | None:
    """Return what a promptfoo results file tells, or ``None`` when the data is none."""
    rows = _rows(data)
    if rows is None:
        return None
    told: dict[CaseRef, Told] = {}
    tests: dict[CaseRef, str] = {}
    places = _prompt_numbers(rows)
    for row in rows:
        suite = f"[{_provider(row)}] prompt {places[_provider(row), row['promptIdx']]}"
        description = _text(_test(row).get("description"))
        name = f"test {row['testIdx'] + 1}" + (f": {description}" if description else "")
        told[suite, name] = Told(_evidence(row), _reason(row)[: limits.text_head])
        tests[suite, name] = json.dumps([suite, _test(row)], sort_keys=True, default=str)
    return PromptfooResults(told, tests)


def merge_repetitions(report: Report, tests: Mapping[CaseRef, str]) -> None:
    """Merge the cases that ``--repeat`` made of one test."""
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in report.results:
        groups[_test_of(result, tests)].append(result)
    report.results = [
        group[0] if len(group) == 1 else _repeated(group) for group in groups.values()
    ]


def name_by_description(report: Report) -> None:
    """Name cases by their description, so that a test that is added renames no other.

    promptfoo numbers its cases by position. A description that is unique within its suite says
    more; without one the position stays, and a warning says what that means.
    """
    descriptions = Counter((each.case.suite, _description(each)) for each in report.results)
    positional = 0
    for index, result in enumerate(report.results):
        description = _description(result)
        if description and descriptions[result.case.suite, description] == 1:
            name = replace(result.case, name=description)
            report.results[index] = replace(result, case=name)
        else:
            positional += bool(NUMBERED.fullmatch(result.case.name))
    if positional:
        report.warnings.append(
            ReadWarning(
                f"cases that are known by their position only: {positional}; give each test a "
                "'description' of its own, or a test that is inserted renames all below it"
            )
        )


def _rows(data: Any) -> list[dict[str, Any]] | None:
    told = data.get("results") if isinstance(data, dict) else None
    rows = told.get("results") if isinstance(told, dict) else told
    if not isinstance(rows, list):
        return None
    kept = [row for row in rows if isinstance(row, dict) and _is_row(row)]
    return kept or None


def _is_row(row: dict[str, Any]) -> bool:
    return all(isinstance(row.get(name), int) for name in ("promptIdx", "testIdx"))


def _prompt_numbers(rows: list[dict[str, Any]]) -> dict[tuple[str, int], int]:
    """Return the number of each prompt among those of its provider, from 1."""
    prompts: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        prompts[_provider(row)].add(row["promptIdx"])
    return {
        (provider, index): number
        for provider, indexes in prompts.items()
        for number, index in enumerate(sorted(indexes), start=1)
    }


def _provider(row: dict[str, Any]) -> str:
    told = row.get("provider")
    if isinstance(told, dict):
        return _text(told.get("label")) or _text(told.get("id"))
    return _text(told)


def _test(row: dict[str, Any]) -> dict[str, Any]:
    told = row.get("testCase")
    return told if isinstance(told, dict) else {}


def _text(value: object) -> str:
    return storable(value) if isinstance(value, str) else ""


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _evidence(row: dict[str, Any]) -> Evidence:
    response = _mapping(row.get("response"))
    output = response.get("output")
    prompt = _mapping(row.get("prompt")).get("raw")
    told = _mapping(row.get("provider"))
    return Evidence(
        model_requested=_text(told.get("id")) or _provider(row) or None,
        calls=1,
        output_sha256=digest(output if isinstance(output, str) else json.dumps(output)),
        prompt_sha256=digest(prompt),
        observations=_observations(row, output),
    )


def _observations(row: dict[str, Any], output: object) -> tuple[Observation, ...]:
    record = _record(output)
    for field, expected in _expected(row):
        seen = record.get(field) if record else output
        found = observed(expected, seen if isinstance(seen, str) else None)
        if found:
            return found
    return ()


def _expected(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield field and label that a test expects: told by its metadata, variables or assertions."""
    test = _test(row)
    for source in (_mapping(test.get("metadata")), _mapping(test.get("vars"))):
        for key in (*LABEL_KEYS, "expected"):
            if isinstance(source.get(key), str):
                yield ("label" if key.startswith("expected") else key), source[key]
    asserts = test.get("assert")
    for each in asserts if isinstance(asserts, list) else ():
        yield from _asserted(_mapping(each))


def _asserted(each: dict[str, Any]) -> Iterator[tuple[str, str]]:
    kind, value = _text(each.get("type")), each.get("value")
    record = _record(value)
    if kind == "equals" and record:
        yield from ((key, record[key]) for key in LABEL_KEYS if isinstance(record.get(key), str))
    elif kind == "equals" and isinstance(value, str):
        yield "", value
    elif kind in {"javascript", "contains", "contains-json"} and isinstance(value, str):
        for match in COMPARED_FIELD.finditer(value[:2000]):
            yield (match["field"] or match["key"] or match["json"]), match["value"]


def _record(value: object) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return {}
    try:
        return _mapping(json.loads(value))
    except (ValueError, RecursionError):
        return {}


def _reason(row: dict[str, Any]) -> str:
    """Return why the assertions failed, each with the output, or the error of the provider."""
    graded = _mapping(row.get("gradingResult"))
    parts = graded.get("componentResults")
    output = json.dumps(_mapping(row.get("response")).get("output"), ensure_ascii=False)
    failed = [
        f"{_text(part.get('reason'))}\nOutput: {output[:LONGEST_OUTPUT]}"
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict) and part.get("pass") is False
    ]
    return "\n".join(failed) or _text(row.get("error")) or _text(graded.get("reason"))


def _description(result: Result) -> str:
    match = NUMBERED.fullmatch(result.case.name)
    return (match["description"] or "") if match else ""


def _test_of(result: Result, tests: Mapping[CaseRef, str]) -> str:
    suite = result.case.suite[-1] if result.case.suite else ""
    return tests.get((suite, result.case.name)) or f"{suite}\0{result.case.name}\0{id(result)}"


def _repeated(group: list[Result]) -> Result:
    tries = tuple(attempt for result in group for attempt in result.tries)
    outcome = merged_outcome(tries, Merge.REPETITION)
    return replace(group[0], outcome=outcome, tries=tries, merge=Merge.REPETITION)
