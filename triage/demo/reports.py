"""Write executions as the JUnit XML that pytest writes.

Durations were not recorded, so the reports tell none.
"""

import json
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from triage.demo.evals import EvalCase
from triage.demo.recordings import Recording
from triage.demo.runs import Execution
from triage.terms import Assertion

# The tests' own source, as pytest prints it above the assertion that failed.
ASSERTIONS = {
    Assertion.PARSED: "assert answer.label == expected",
    Assertion.BYTES: "assert answer.sha256 == expected",
}
ASSERTION_LINE = 24


def report(executions: Sequence[Execution]) -> bytes:
    """Return the report of a run's executions."""
    entries = [_testcase(execution) for execution in executions]
    failures = sum(entry.find("failure") is not None for entry in entries)
    suites = ET.Element("testsuites", name="pytest tests")
    counts = {"errors": "0", "failures": str(failures), "skipped": "0", "tests": str(len(entries))}
    suite = ET.SubElement(suites, "testsuite", {"name": "pytest", **counts})
    suite.extend(entries)
    xml: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return xml


def _testcase(execution: Execution) -> ET.Element:
    case, answer = execution.case, execution.answer
    entry = ET.Element("testcase", classname=case.classname, name=_name(execution))
    properties = ET.SubElement(entry, "properties")
    for name, value in _properties(case, answer):
        ET.SubElement(properties, "property", name=name, value=value)
    if not case.is_met_by(answer):
        entry.append(_failure(case, answer))
    return entry


def _name(execution: Execution) -> str:
    """Return the name of the case, numbered as pytest-repeat does when it is repeated."""
    name = execution.case.name
    if execution.repeats == 1:
        return name
    return f"{name.removesuffix(']')}-{execution.repeat}-{execution.repeats}]"


def _properties(case: EvalCase, answer: Recording) -> Iterator[tuple[str, str]]:
    module = case.module
    yield "gen_ai.provider.name", "openai"
    yield "gen_ai.request.model", module.model_requested
    if module.model_answered:
        yield "gen_ai.response.model", module.model_answered
    yield "gen_ai.request.temperature", "0.0"
    yield "gen_ai.response.id", answer.call_id
    yield "tiebreak.assertion", module.assertion
    yield "tiebreak.labels", json.dumps(module.labels)
    yield "tiebreak.expected_label", case.expected_label
    yield "tiebreak.label", answer.label
    if answer.output_sha256:
        yield "tiebreak.output_sha256", answer.output_sha256


def _failure(case: EvalCase, answer: Recording) -> ET.Element:
    expected, observed = _compared(case, answer)
    explanation = [
        f"AssertionError: assert {observed!r} == {expected!r}",
        "  ",
        f"  - {expected}",
        f"  + {observed}",
    ]
    failure = ET.Element("failure", message="\n".join(explanation))
    failure.text = "\n".join(
        [
            f">       {ASSERTIONS[case.module.assertion]}",
            *(f"E       {line}" for line in explanation),
            "",
            f"tests/evals/{case.module.name}.py:{ASSERTION_LINE}: AssertionError",
        ]
    )
    return failure


def _compared(case: EvalCase, answer: Recording) -> tuple[str, str]:
    if case.module.assertion is Assertion.BYTES:
        return case.expected_output, answer.output_sha256 or ""
    return case.expected_label, answer.label
