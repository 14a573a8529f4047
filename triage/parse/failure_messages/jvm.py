"""JUnit 4 and 5, TestNG, Hamcrest, AssertJ, MSTest, NUnit and xUnit.net."""

import re

from triage.parse.failure_messages.pairs import PairKind, StatedPair
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
BOUND = re.compile(r"(?:not |greater than|less than|at least|at most|in range|within|[<>]=? )")
PART = re.compile(r"(?:String )?(?:containing|starting with|ending with|matching|some item)")
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
    return pairs(_expanded(match["expected"]), _expanded(match["observed"]))


def read_testng(text: str) -> list[StatedPair]:
    """Return the pairs of TestNG."""
    match = TESTNG.search(text)
    return pairs(match["expected"], match["observed"]) if match else []


def read_hamcrest(text: str) -> list[StatedPair]:
    """Return the pairs of Hamcrest's description and mismatch."""
    return [_matched(match["expected"], match["observed"]) for match in HAMCREST.finditer(text)]


def _matched(expected: str, observed: str) -> StatedPair:
    """Return the pair of a matcher's description: a value, alternatives, or a collection."""
    if " or " in expected or expected.startswith("a collection"):
        return pair(expected, observed, kind=PairKind.MEMBERSHIP)
    return pair(expected.removeprefix("is "), observed)


def read_assertj(text: str) -> list[StatedPair]:
    """Return the pairs of AssertJ's Expecting form, which names the observed value first."""
    return [
        pair(_inner(match["expected"]), _inner(match["observed"]))
        for match in ASSERTJ.finditer(text)
    ]


def read_nunit(text: str) -> list[StatedPair]:
    """Return the pairs of NUnit and xUnit.net."""
    return [_constrained(match["expected"], match["observed"]) for match in NUNIT.finditer(text)]


def _constrained(expected: str, observed: str) -> StatedPair:
    """Return the pair of a constraint: a bound, a part, or a plain value."""
    if BOUND.match(expected):
        return pair(expected, observed, kind=PairKind.COMPARISON)
    if PART.match(expected):
        return pair(expected, observed, kind=PairKind.MEMBERSHIP)
    return pairs(expected, observed)[0]


def _first_line(text: str) -> str:
    """Return the message without the stack trace below it."""
    return re.split(r"\n\s+at ", text, maxsplit=1)[0]


def _expanded(value: str) -> str:
    """Undo JUnit 4's brackets around the differing middle."""
    return COMPACT.sub(r"\1", value, count=1)


def _inner(value: str) -> str:
    value = value.strip()
    return value[1:-1] if value.startswith("<") and value.endswith(">") else value
