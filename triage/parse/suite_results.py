"""What a report tells outside its cases: suites that failed as a whole, problems only counted."""

from collections.abc import Iterator

from triage.parse.dialects.dialect import Dialect
from triage.parse.limits import Limits
from triage.parse.report import CaseName, Failure, Result, Try
from triage.parse.xml_stream import OUTPUT_TAGS, RawCase, RawDocument, RawSuite
from triage.terms import Merge, Outcome

COUNTERS = ("failures", "errors", "failed")


def counted_problems(document: RawDocument, dialect: Dialect) -> Iterator[Result]:
    """Yield a failing result per suite whose counters tell of problems that no element shows.

    Newman counts a script that threw, gotestsum a package that does not compile; a run with
    either is not green.
    """
    if not any(_counted(suite) for suite in document.suites):
        return
    shown = _suites_with_problems(document)
    # What a group counts is counted again below it.
    groups = {id(suite.parent) for suite in document.suites}
    for suite in document.suites:
        if dialect.lost_errors and suite is document.suites[0] and not suite.path:
            lost = _lost_errors(suite, document)
        elif not suite.path or id(suite) in shown or id(suite) in groups:
            continue
        else:
            lost = _counted(suite)
        if lost > 0:
            yield suite_result(suite, (_failure(f"{lost} problems without details"),))


def broken_skips(document: RawDocument, dialect: Dialect, limits: Limits) -> Iterator[Result]:
    """Yield a failing result per skip that hides a test which could not be started."""
    if not dialect.broken_skip:
        return
    for case in document.cases:
        for child in case.children:
            message = child.attributes.get("message", "")[: limits.attribute]
            if child.tag == "skipped" and dialect.broken_skip in message:
                title = limits.bounded_name(case.attributes.get("name", ""))
                name = CaseName(case.suite.path, "", "", f"{title} (not started)")
                tries = (Try(Outcome.ERRORED, None, (_failure(message),)),)
                yield Result(name, Outcome.ERRORED, None, tries, Merge.SINGLE, case.line or None)


def suite_result(suite: RawSuite, failures: tuple[Failure, ...]) -> Result:
    """Return the result that stands for a suite as a whole."""
    name = CaseName(suite.path, "", "", f"{suite.path[-1] if suite.path else ''} (suite)")
    outcome = failures[0].outcome
    tries = (Try(outcome, None, failures),)
    return Result(name, outcome, None, tries, Merge.SINGLE, suite.line or None)


def count_of(text: str | None) -> int | None:
    """Return a counter, or ``None`` when the text is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def _failure(message: str) -> Failure:
    return Failure(Outcome.ERRORED, "", message, "", 0)


def _counted(suite: RawSuite) -> int:
    """Return how many problems a suite's own counters tell of."""
    return sum(count_of(suite.attributes.get(name)) or 0 for name in COUNTERS)


def _lost_errors(root: RawSuite, document: RawDocument) -> int:
    """Return how many errors the root counts beyond those that elements show."""
    shown = sum(child.tag == "error" for case in document.cases for child in case.children)
    return (count_of(root.attributes.get("errors")) or 0) - shown


def _suites_with_problems(document: RawDocument) -> set[int]:
    """Return the ids of suites that show a problem in an element, or lie above one that does."""
    shown: set[int] = set()
    showing = [case.suite for case in document.cases if _shows_problem(case)]
    showing += [suite for suite in document.suites if suite.results]
    for start in showing:
        suite: RawSuite | None = start
        while suite is not None and id(suite) not in shown:
            shown.add(id(suite))
            suite = suite.parent
    return shown


def _shows_problem(case: RawCase) -> bool:
    return any(child.tag not in OUTPUT_TAGS for child in case.children)
