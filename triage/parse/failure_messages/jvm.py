"""JUnit 4 and 5, TestNG, Hamcrest, AssertJ, MSTest, NUnit and xUnit.net."""

import re

from triage.parse.failure_messages.pairs import StatedPair
from triage.parse.failure_messages.values import pair, pairs

ANGLES = re.compile(
    r"expected:?\s?<(?P<expected>.*?)>\.?\s*(?:but was|Actual|was not):?\s?<(?P<observed>.*)>",
    re.S | re.I,
)
JUNIT5 = re.compile(r"expected: <(?P<expected>.*?)> but was: <(?P<observed>.*?)>", re.S)
TESTNG = re.compile(r"expected \[(?P<expected>.*?)\] but found \[(?P<observed>.*?)\]", re.S)
HAMCREST = re.compile(r"Expected: (?P<expected>.+)\n\s+but: (?:was )?(?P<observed>.+)")
ASSERTJ = re.compile(
    r"Expecting:?\s*\n\s*(?:actual:\s*)?(?P<observed>.+)\n\s*to be equal to:?\s*\n\s*"
    r"(?P<expected>.+)\n"
)
NUNIT = re.compile(
    r"^\s*Expected: (?P<expected>.+)\n\s*(?:But was|Actual):\s+(?P<observed>.+)$", re.M
)
COMPACT = re.compile(r"\[(.*?)\]", re.S)


def read_junit5(text: str) -> list[StatedPair]:
    """Return the pairs of JUnit 5, whose message stands before ``==>``."""
    return [
        each
        for match in JUNIT5.finditer(text)
        for each in pairs(match["expected"], match["observed"])
    ]


def read_junit4(text: str) -> list[StatedPair]:
    """Return the pairs of JUnit 4 and MSTest; brackets mark where the middle differs."""
    match = ANGLES.search(_first_line(text))
    if not match:
        return []
    return [pair(_expanded(match["expected"]), _expanded(match["observed"]))]


def read_testng(text: str) -> list[StatedPair]:
    """Return the pairs of TestNG."""
    return [pair(match["expected"], match["observed"]) for match in TESTNG.finditer(text)][:1]


def read_hamcrest(text: str) -> list[StatedPair]:
    """Return the pairs of Hamcrest's description and mismatch."""
    return [
        pair(match["expected"].removeprefix("is "), match["observed"])
        for match in HAMCREST.finditer(text)
    ]


def read_assertj(text: str) -> list[StatedPair]:
    """Return the pairs of AssertJ's Expecting form, which names the observed value first."""
    return [
        pair(_inner(match["expected"]), _inner(match["observed"]))
        for match in ASSERTJ.finditer(text)
    ]


def read_nunit(text: str) -> list[StatedPair]:
    """Return the pairs of NUnit and xUnit.net."""
    return [pair(match["expected"], match["observed"]) for match in NUNIT.finditer(text)]


def _first_line(text: str) -> str:
    """Return the message without the stack trace below it."""
    return re.split(r"\n\s+at ", text, maxsplit=1)[0]


def _expanded(value: str) -> str:
    """Undo JUnit 4's brackets around the differing middle."""
    return COMPACT.sub(r"\1", value, count=1)


def _inner(value: str) -> str:
    value = value.strip()
    return value[1:-1] if value.startswith("<") and value.endswith(">") else value
