"""The dialects of JUnit XML: how each is told, and where its reading departs from the plain one.

One rule per quirk, named by the tool it serves. A tool that is not here is read plainly.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from triage.parse.report import Try
from triage.parse.xml_stream import RawCase, RawChild, RawDocument
from triage.terms import Merge

Predicate = Callable[["Traits"], bool]
MergeRule = Callable[[Sequence[RawCase], Sequence[Try], "Traits"], Merge]


@dataclass(frozen=True, slots=True)
class Traits:
    """What a document shows of the tool that wrote it."""

    document: RawDocument
    root_name: str
    suite_name: str
    properties: frozenset[str]
    first_case: dict[str, str]
    # How often each identity of the document occurs.
    repetition: Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Dialect:
    """A tool's way of writing JUnit XML."""

    name: str
    is_it: Predicate
    # What several entries of one identity are.
    merge: MergeRule
    # A retry that passed leaves no trace, so "no flakes" proves nothing.
    hides_retries: bool = False
    # A case that was skipped and failed did what it was expected to.
    skipped_beats_failed: bool = False
    # Rows that nothing tells apart are one test, which failed when any row did.
    joins_rows: bool = False
    # Errors that say "not run".
    is_skip: Callable[[RawChild], bool] = lambda child: False


def rows(cases: Sequence[RawCase], tries: Sequence[Try], traits: Traits) -> Merge:
    """Entries of one name are data rows or a collision of names, never retries."""
    return Merge.ROWS


def retries(cases: Sequence[RawCase], tries: Sequence[Try], traits: Traits) -> Merge:
    """Entries of one name are attempts in order."""
    return Merge.RETRY


def pytest_entries(cases: Sequence[RawCase], tries: Sequence[Try], traits: Traits) -> Merge:
    """pytest writes a second entry when teardown fails; its plugins write one per attempt.

    A teardown error says so in its message. Everything else is an attempt: pytest's own names
    are unique.
    """
    last = cases[-1].children
    is_teardown = any("teardown" in child.attributes.get("message", "") for child in last)
    return Merge.PHASES if is_teardown and len(cases) == 2 else Merge.RETRY


def go_entries(cases: Sequence[RawCase], tries: Sequence[Try], traits: Traits) -> Merge:
    """gotestsum: with -count every test occurs equally often, with --rerun-fails the failed do."""
    counts = set(traits.repetition.values())
    return Merge.REPETITION if len(counts) == 1 else Merge.RETRY


def testng_entries(cases: Sequence[RawCase], tries: Sequence[Try], traits: Traits) -> Merge:
    """TestNG: rows of a data provider and retries share one name.

    A retry analyser stops at the first pass, so only failures that end in one pass look like it.
    """
    failing = [attempt.outcome.is_failing for attempt in tries]
    is_retry = len(tries) > 1 and all(failing[:-1]) and not failing[-1]
    return Merge.RETRY if is_retry else Merge.ROWS


def _is_testng_skip(child: RawChild) -> bool:
    kind = child.attributes.get("type", "")
    message = child.attributes.get("message", "")
    return kind.endswith("SkipException") or "depends on not successfully finished" in message


def _has_retry_elements(traits: Traits) -> bool:
    return bool(traits.document.tags & {"rerunFailure", "rerunError", "flakyFailure", "flakyError"})


def _is_pytest(traits: Traits) -> bool:
    return (
        traits.suite_name == "pytest"
        or traits.root_name == "pytest tests"
        or traits.first_case.get("file", "").endswith(".py")
    )


def _is_playwright(traits: Traits) -> bool:
    return bool(re.search(r"\.(?:spec|test|e2e)\.[cm]?[jt]sx?$", traits.suite_name)) and (
        "id" in traits.document.suites[0].attributes
    )


def _is_web_test_runner(traits: Traits) -> bool:
    return "browser.launcher" in traits.properties


def _is_vitest(traits: Traits) -> bool:
    return traits.root_name == "vitest tests"


def _is_jest(traits: Traits) -> bool:
    return traits.root_name.startswith("jest")


def _is_bun(traits: Traits) -> bool:
    return traits.root_name == "bun test"


def _is_mocha(traits: Traits) -> bool:
    return traits.root_name.startswith("Mocha") or traits.suite_name == "Mocha Tests"


def _is_cucumber_js(traits: Traits) -> bool:
    return traits.suite_name.lower() == "cucumber" or traits.root_name.lower() == "cucumber"


def _is_catch2(traits: Traits) -> bool:
    return any(
        child.tag == "skipped" and "!mayfail" in child.attributes.get("message", "")
        for case in traits.document.cases
        for child in case.children
    ) or traits.first_case.get("classname", "").endswith(".global")


def _is_ctest(traits: Traits) -> bool:
    case = traits.first_case
    return (
        traits.document.root == "testsuite"
        and case.get("status") in {"run", "fail", "notrun", "disabled"}
        and case.get("classname") == case.get("name")
    )


def _is_go(traits: Traits) -> bool:
    return "go.version" in traits.properties


def _is_testng(traits: Traits) -> bool:
    attributes = traits.document.suites[0].attributes if traits.document.suites else {}
    return bool(re.fullmatch(r"\d{1,2} \w{3} \d{4} [\d:]+ \w+", attributes.get("timestamp", "")))


def _is_promptfoo(traits: Traits) -> bool:
    return traits.root_name == "promptfoo" or bool(
        re.match(r"\[.*\] prompt \d+", traits.suite_name)
    )


def _is_nextest(traits: Traits) -> bool:
    return traits.root_name == "nextest-run"


def _is_surefire(traits: Traits) -> bool:
    return "surefire.version" in traits.properties or "java.version" in traits.properties


PLAIN = Dialect("junit", lambda traits: True, rows)

# The first that fits is taken, so the surest signs come first.
DIALECTS = (
    Dialect("web-test-runner", _is_web_test_runner, retries),
    Dialect("gotestsum", _is_go, go_entries),
    Dialect("vitest", _is_vitest, rows, hides_retries=True),
    Dialect("nextest", _is_nextest, rows),
    Dialect("jest-junit", _is_jest, rows, hides_retries=True),
    Dialect("bun", _is_bun, rows, hides_retries=True),
    Dialect("promptfoo", _is_promptfoo, rows),
    Dialect("mocha", _is_mocha, rows, hides_retries=True),
    Dialect("cucumber-js", _is_cucumber_js, rows, hides_retries=True),
    Dialect("pytest", _is_pytest, pytest_entries),
    Dialect("testng", _is_testng, testng_entries, joins_rows=True, is_skip=_is_testng_skip),
    Dialect("catch2", _is_catch2, rows, skipped_beats_failed=True),
    Dialect("ctest", _is_ctest, rows, hides_retries=True),
    Dialect("rerun-elements", _has_retry_elements, rows),
    Dialect("playwright", _is_playwright, rows, hides_retries=True),
    Dialect("surefire", _is_surefire, rows),
    PLAIN,
)


def detect(traits: Traits) -> Dialect:
    """Return the dialect of a document."""
    return next(dialect for dialect in DIALECTS if dialect.is_it(traits))
