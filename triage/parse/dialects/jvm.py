"""Surefire, Gradle and TestNG."""

import re

from triage.parse.dialects.dialect import Dialect, Group, Traits
from triage.parse.xml_stream import RawChild
from triage.terms import Merge

TESTNG_TIME = re.compile(r"\d{1,2} \w{3,4} \d{4} [\d:]+ \w+")
RETRY_TAGS = frozenset({"rerunFailure", "rerunError", "flakyFailure", "flakyError"})


def testng_entries(group: Group) -> Merge:
    """TestNG: rows of a data provider and retries share one name.

    A retry analyser stops at the first pass, so only failures that end in one pass look like it.
    """
    failing = [attempt.outcome.is_failing for each in group.results for attempt in each.tries]
    is_retry = len(failing) > 1 and all(failing[:-1]) and not failing[-1]
    return Merge.RETRY if is_retry else Merge.ROWS


def is_testng_skip(child: RawChild) -> bool:
    """Whether an error of TestNG says that the test was not run."""
    kind = child.attributes.get("type", "")
    message = child.attributes.get("message", "")
    return kind.endswith("SkipException") or "depends on not successfully finished" in message


def is_testng(traits: Traits) -> bool:
    """Whether TestNG's junitreports hold it: its times are those of Date.toGMTString()."""
    first = traits.document.suites[0].attributes if traits.document.suites else {}
    return bool(TESTNG_TIME.fullmatch(first.get("timestamp", "")))


def has_retry_elements(traits: Traits) -> bool:
    """Whether a tool wrote retries as Surefire does: Gradle, Playwright, nextest, Marathon."""
    return bool(traits.document.tags & RETRY_TAGS)


def is_surefire(traits: Traits) -> bool:
    """Whether Maven or Ant wrote it."""
    return bool(traits.properties & {"surefire.version", "java.version"})


TESTNG = Dialect("testng", is_testng, testng_entries, joins_rows=True, is_skip=is_testng_skip)
RERUN_ELEMENTS = Dialect("rerun-elements", has_retry_elements)
SUREFIRE = Dialect("surefire", is_surefire)
