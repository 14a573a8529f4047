"""RSpec, minitest, PHPUnit, ExUnit, EUnit, busted, testthat, Robot Framework and deepeval."""

import re
from dataclasses import replace

from triage.parse.failure_messages.pairs import PairKind, Sides, StatedPair
from triage.parse.failure_messages.values import pair, pairs

NAMED = re.compile(
    r"\b(?:expected|want(?:ed)?)(?:[:=] ?| )(?P<expected>'[^'\n]*'|\"[^\"\n]*\"|[\w./-]+)[,;]? "
    r"(?:but )?(?:actual|got|received|observed)(?:[:=] ?| )"
    r"(?P<observed>'[^'\n]*'|\"[^\"\n]*\"|[\w./-]+)"
)
RSPEC = re.compile(r"^\s*expected: (?P<expected>.+)\n\s*got: (?P<observed>.+)$", re.M)
RSPEC_COLLECTION = re.compile(
    r"^\s*expected collection contained:\s+(?P<expected>.+)\n"
    r"\s*actual collection contained:\s+(?P<observed>.+)$",
    re.M,
)
BOUND = re.compile(r"(?:[<>]=? |within |be within )")
MINITEST = re.compile(r"^\s*Expected: (?P<expected>.+)\n\s*Actual: (?P<observed>.+)$", re.M)
EXUNIT = re.compile(r"^\s*left:\s+(?P<left>.+)\n\s*right:\s+(?P<right>.+)$", re.M)
EUNIT = re.compile(
    r"\{expected,\s*<?<?(?P<expected>\"[^\"]{0,500}\"|[^}>]{1,500}?)>?>?\}\s*,\s*"
    r"\{value,\s*<?<?(?P<observed>\"[^\"]{0,500}\"|[^}>]{1,500}?)>?>?\}",
    re.S,
)
BUSTED = re.compile(
    r"Passed in:\n\((?:\w+)\) (?P<observed>.+)\nExpected:\n\((?:\w+)\) (?P<expected>.+)"
)
BUSTED_TABLES = re.compile(
    r"Passed in:\n\(table[^)]*\) \{(?P<observed>[^}]*)\}"
    r".*?Expected:\n\(table[^)]*\) \{(?P<expected>[^}]*)\}",
    re.S,
)
TABLE_FIELD = re.compile(r"^\s*\*?\s*\[([^\]\n]+)\] = (.+)$", re.M)
TESTTHAT = re.compile(r"x\[\d+\]: (?P<observed>.+)\ny\[\d+\]: (?P<expected>.+)")
PHPUNIT_SAME = re.compile(r"Failed asserting that two \w+ are (?:identical|equal)\.")
PHPUNIT_WORDS = re.compile(
    r"Failed asserting that (?P<observed>.+?) "
    r"(?P<how>contains|matches|is identical to|is equal to|is greater than|is less than|is) "
    r"(?P<expected>.+?)\.$",
    re.M,
)
ROBOT = re.compile(r"^(?:[^\n!'\"{}\[\]]{0,200}: )?(?P<observed>.+?) != (?P<expected>.+)$", re.S)
# Robot writes the values and nothing of where they were compared.
OTHER_TOOL = re.compile(r"Traceback|\bassert\b|\w:\d+")
ROBOT_CONTAINS = re.compile(r"^(?:.*: )?'(?P<observed>.*)' does not contain '(?P<expected>.*)'$")
ROBOT_SEVERAL = "Several failures occurred:"
ROBOT_NUMBERED = re.compile(r"(?:^|\n)\d+\) ")
# A metric that could not be judged has an error and no score worth comparing.
DEEPEVAL_SCORES = re.compile(
    r"(?P<metric>[^(),:\n]{1,200}) \(score: (?P<score>[\d.]+), threshold: (?P<threshold>[\d.]+), "
    r"strict: \w+, error: None, "
)
DEEPEVAL_LABELS = re.compile(
    r"expected (?:label )?'(?P<expected>[^']*)' but "
    r"(?:the reply says|got|was) '(?P<observed>[^']*)'"
)

PROMPTFOO_EQUAL = re.compile(
    r"^Expected output \"(?P<observed>.*?)\" to equal \"(?P<expected>.*)\"$", re.M
)
# The line with the output is added when promptfoo's results are read.
PROMPTFOO_CONTAIN = re.compile(
    r"^Expected output to (?P<how>contain|not contain|include|match regex|start with)[\w ]* "
    r"(?P<expected>\".+\")\nOutput: (?P<observed>.+)$",
    re.M,
)


def read_named(text: str) -> list[StatedPair]:
    """Return the pairs that a person's own message names: expected=fraud actual=billing."""
    return [
        pair(match["expected"], match["observed"], Sides.CONVENTION)
        for match in NAMED.finditer(text)
    ][:1]


def read_rspec(text: str) -> list[StatedPair]:
    """Return the pairs of RSpec and minitest."""
    return [
        each
        for pattern in (RSPEC, MINITEST, RSPEC_COLLECTION)
        for match in pattern.finditer(text)
        for each in _expected_got(match["expected"], match["observed"])
    ]


def _expected_got(expected: str, observed: str) -> list[StatedPair]:
    if BOUND.match(expected):
        return [pair(expected, observed, kind=PairKind.COMPARISON)]
    return pairs(expected, observed)


def read_exunit(text: str) -> list[StatedPair]:
    """Return the pairs of ExUnit, which names left and right only."""
    if "Assertion with ==" not in text:
        return []
    return [pair(match["right"], match["left"], Sides.UNKNOWN) for match in EXUNIT.finditer(text)]


def read_eunit(text: str) -> list[StatedPair]:
    """Return the pairs of EUnit's terms."""
    return [pair(match["expected"], match["observed"]) for match in EUNIT.finditer(text)]


def read_busted(text: str) -> list[StatedPair]:
    """Return the pairs of busted."""
    found = [pair(match["expected"], match["observed"]) for match in BUSTED.finditer(text)]
    tables = BUSTED_TABLES.search(text)
    return found or (_table_pairs(tables) if tables else [])


def _table_pairs(tables: re.Match[str]) -> list[StatedPair]:
    """Return the fields that busted marks with a star, and all others that differ."""
    expected, observed = (
        dict(TABLE_FIELD.findall(tables[side])) for side in ("expected", "observed")
    )
    return [
        replace(pair(expected[name], observed[name]), field=name)
        for name in expected
        if observed.get(name, expected[name]) != expected[name]
    ]


def read_testthat(text: str) -> list[StatedPair]:
    """Return the pairs of testthat, whose x is by convention the observed value."""
    return [
        pair(match["expected"], match["observed"], Sides.CONVENTION)
        for match in TESTTHAT.finditer(text)
    ]


def read_phpunit(text: str) -> list[StatedPair]:
    """Return the pairs of PHPUnit's sentences; its diffs have a legend of their own."""
    return [
        pair(
            match["expected"].removeprefix("expected "),
            match["observed"],
            kind=_phpunit_kind(match["how"]),
        )
        for match in PHPUNIT_WORDS.finditer(text)
        if not PHPUNIT_SAME.search(match[0])
    ]


def read_robot(text: str) -> list[StatedPair]:
    """Return the pairs of Robot Framework, whose first value is by convention the observed one."""
    stripped = text.strip()
    if stripped.startswith(ROBOT_SEVERAL):
        return [found for each in ROBOT_NUMBERED.split(stripped)[1:] for found in read_robot(each)]
    contains = ROBOT_CONTAINS.match(stripped)
    if contains:
        kind = PairKind.MEMBERSHIP
        return [pair(contains["expected"], contains["observed"], Sides.CONVENTION, kind)]
    # Of several signs none tells which one is the tool's own.
    match = ROBOT.match(stripped) if stripped.count(" != ") == 1 else None
    if not match or OTHER_TOOL.search(stripped):
        return []
    return pairs(match["expected"], match["observed"], Sides.CONVENTION)


def read_deepeval(text: str) -> list[StatedPair]:
    """Return the labels that a deepeval metric gives as its reason, else scores and thresholds."""
    if "Metrics: " not in text:
        return []
    labels = [
        pair(match["expected"], match["observed"]) for match in DEEPEVAL_LABELS.finditer(text)
    ]
    scores = [
        StatedPair(
            match["threshold"],
            match["score"],
            kind=PairKind.COMPARISON,
            field=match["metric"].strip(),
        )
        for match in DEEPEVAL_SCORES.finditer(text)
    ]
    return labels or scores


def read_promptfoo(text: str) -> list[StatedPair]:
    """Return the pairs of the reasons that promptfoo gives for failed assertions."""
    equal = [
        each
        for match in PROMPTFOO_EQUAL.finditer(text)
        for each in pairs(match["expected"], match["observed"])
    ]
    contained = [
        pair(match["expected"], match["observed"], kind=PairKind.MEMBERSHIP)
        for match in PROMPTFOO_CONTAIN.finditer(text)
    ]
    return [*equal, *contained]


def _phpunit_kind(how: str) -> PairKind:
    if how in {"contains", "matches"}:
        return PairKind.MEMBERSHIP
    return PairKind.COMPARISON if "than" in how else PairKind.EQUALITY
