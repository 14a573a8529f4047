"""Write the results that Buildkite's collectors send as JSON as the JUnit report they stand for.

Stored like any other report, they can be read again by later rules.
https://buildkite.com/docs/test-engine/test-collection/importing-json
"""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, tostring

from triage.doors.bodies import Fields, member, text
from triage.errors import InvalidRequestError

# What XML 1.0 cannot hold, however it is written.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
RESULTS = ("passed", "failed", "skipped", "unknown")


def junit_of_results(results: object) -> bytes:
    """Return a JUnit report of a list of results; raise ``InvalidRequestError`` for another."""
    if not isinstance(results, list):
        raise InvalidRequestError(f"data must be a list of results, got {type(results).__name__}")
    root = Element("testsuites")
    suite = SubElement(root, "testsuite", name="buildkite", tests=str(len(results)))
    for number, result in enumerate(results):
        if not isinstance(result, dict):
            raise InvalidRequestError(f"data[{number}] must be an object, got {result!r:.80}")
        _add_case(suite, result, number)
    report: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return report


def _add_case(suite: Element, told: Fields, number: int) -> None:
    name, outcome = text(told, "name"), text(told, "result") or "unknown"
    if not name:
        raise InvalidRequestError(f"data[{number}].name is missing")
    if outcome not in RESULTS:
        raise InvalidRequestError(
            f"data[{number}].result must be one of {', '.join(RESULTS)}, got {outcome[:80]!r}"
        )
    case = SubElement(suite, "testcase", name=_clean(name))
    for attribute, value in _place(told).items():
        if value:
            case.set(attribute, _clean(value))
    _add_tags(case, member(told, "tags"))
    if outcome == "failed":
        failure = SubElement(case, "failure", message=_clean(text(told, "failure_reason")))
        failure.text = _clean("\n".join(_failure_lines(told)))
    elif outcome != "passed":
        SubElement(case, "skipped")


def _place(told: Fields) -> dict[str, str]:
    file = text(told, "file_name")
    _, _, line = text(told, "location").rpartition(":")
    return {
        "classname": text(told, "scope"),
        "file": file,
        "line": line if line.isdigit() else "",
        "time": text(member(told, "history"), "duration"),
    }


def _add_tags(case: Element, tags: Fields) -> None:
    """Keep tags as properties: a label that a test tells is worth nothing without them."""
    if not tags:
        return
    properties = SubElement(case, "properties")
    for name in tags:
        SubElement(properties, "property", name=_clean(str(name)), value=_clean(text(tags, name)))


def _failure_lines(told: Fields) -> Iterator[str]:
    yield text(told, "failure_reason")
    expanded = told.get("failure_expanded")
    for each in expanded if isinstance(expanded, list) else ():
        for kind in ("expanded", "backtrace"):
            lines = each.get(kind) if isinstance(each, dict) else None
            yield from (str(line) for line in (lines if isinstance(lines, list) else ()))


def _clean(words: str) -> str:
    return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", words)
