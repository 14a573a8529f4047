"""Jest, Vitest, Chai, Jasmine, node:assert, Deno, Bun and TAP."""

import re

from triage.parse.failure_messages.pairs import PairKind, Sides, StatedPair
from triage.parse.failure_messages.values import pair, pairs

JEST_EXPECTED = re.compile(
    r"^\s*Expected(?: (?P<part>value|pattern|substring|length|object|path|string))?:\s+"
    r"(?:not )?(?P<comparison>[<>]=? )?(?P<value>.+)$"
)
CONTAINED = frozenset({"value", "pattern", "substring"})
JEST_RECEIVED = re.compile(r"^\s*Received(?: (?:array|string|value|length|object))?:\s+(.+)$")
CHAI = re.compile(
    r"(?:^\s*|: )expected (?P<observed>.+?) "
    r"(?:to(?: strictly| loosely| deeply)?|not to) "
    r"(?P<how>equal|deeply equal|strictly equal|be one of|be above|be below|be at least"
    r"|be at most|be greater than(?: or equal to)?|be less than(?: or equal to)?|be close to"
    r"|be within|be|include|contain|match)(?: a)? (?!thrown)(?P<expected>.+?)(?: // .*)?$",
    re.M,
)
JASMINE = re.compile(
    r"^(?:[\w.]+: )?Expected (?:\$?[\w.\[\]]+ = )?(?P<observed>.+?) "
    r"to (?P<how>be greater than or equal|be less than or equal|be greater than|be less than|equal"
    r"|contain|match|be) (?!thrown)(?P<expected>.+?)\.$",
    re.M,
)
NODE_FIELDS = re.compile(r"^\s*actual: (?P<observed>.+?),\n\s*expected: (?P<expected>.+?),$", re.M)
NODE_BARE = re.compile(
    r"Expected values to be (?:strictly|loosely) (?:deep-)?equal:\s*\n\s*\n?"
    r"(?P<observed>.+?) [!=]==? (?P<expected>.+)$",
    re.M,
)
TAP = re.compile(
    r"^\s*expected: (?P<expected>.+)\n\s*actual:\s+(?P<observed>.+)$"
    r"|\boperator: \w+ expected: (?P<inline_expected>.+?) actual: (?P<inline_observed>.+?) at: ",
    re.M,
)
# Legends of diffs: which sign the expected lines carry.
LEGENDS = (
    (re.compile(r"^\s*\+ expected\s+- actual\s*$", re.M), "+"),
    (re.compile(r"^\s*\+ actual\s+- expected\b.*$", re.M), "-"),
    (re.compile(r"^\s*\[Diff\] Actual / Expected\s*$", re.M), "+"),
    (re.compile(r"^\s*- Expected\b.*\n\s*\+ Received\b.*$", re.M), "-"),
    # Bun prints no legend and the header that Jest prints above its own.
    (re.compile(r"\bexpect\(received\)\.\w+\(expected\).*$", re.M), "-"),
    (re.compile(r"^\s*--- Expected\s*\n\s*\+\+\+ Actual\s*$", re.M | re.I), "-"),
)
LEGEND_WORDS = frozenset({"actual", "expected", "actual - expected", "expected - actual"})
SIGNED = re.compile(r"^\s*([-+]) ?(.*)$")
COMPARING = frozenset(
    {
        *("be above", "be below", "be at least", "be at most", "be close to", "be within"),
        *("be greater than", "be less than", "be greater than or equal", "be less than or equal"),
        *("be greater than or equal to", "be less than or equal to"),
    }
)
CONTAINING = frozenset({"include", "contain", "match", "be one of"})
MOST_LINES_APART = 12


def read_jest(text: str) -> list[StatedPair]:
    """Return the pairs of Expected and Received lines."""
    lines = text.split("\n")
    is_path = "Expected path:" in text
    for number, line in enumerate(lines):
        expected = JEST_EXPECTED.match(line)
        if expected and not (is_path and expected["part"] == "path"):
            for other in lines[number + 1 : number + MOST_LINES_APART]:
                received = JEST_RECEIVED.match(other)
                if received and "toBeCloseTo" in text:
                    return [pair(expected["value"], received[1], kind=PairKind.COMPARISON)]
                if received:
                    return _jest_pairs(expected, received[1], is_path=is_path)
    return []


def read_chai(text: str) -> list[StatedPair]:
    """Return the pairs of Chai and Vitest sentences, which name the observed value first."""
    return [_worded(match) for match in CHAI.finditer(text)][:1]


def read_bounded(text: str) -> list[StatedPair]:
    """Return the pairs of Chai sentences that compare with a bound or look for a part.

    The diff that Mocha prints below them makes them look like an equality.
    """
    found = [_worded(match) for match in CHAI.finditer(text)][:1]
    return [each for each in found if each.kind is not PairKind.EQUALITY]


def read_node_bare(text: str) -> list[StatedPair]:
    """Return the pairs of node:assert's short form, whose first value is the actual one."""
    return [
        each
        for match in NODE_BARE.finditer(text)
        for each in pairs(match["expected"], match["observed"])
    ]


def read_jasmine(text: str) -> list[StatedPair]:
    """Return the pairs of Jasmine sentences: the word Expected stands before the observed."""
    return [_worded(match) for match in JASMINE.finditer(text)]


def read_node(text: str) -> list[StatedPair]:
    """Return the pairs of node:assert's fields."""
    return [
        each
        for match in NODE_FIELDS.finditer(text)
        for each in pairs(match["expected"], match["observed"])
    ][:1]


def read_tap(text: str) -> list[StatedPair]:
    """Return the pairs of TAP diagnostics."""
    return [
        pair(
            match["expected"] or match["inline_expected"],
            match["observed"] or match["inline_observed"],
        )
        for match in TAP.finditer(text)
    ]


def read_legend_diff(text: str) -> list[StatedPair]:
    """Return the pair of a diff whose legend says which sign is expected; never by sign alone."""
    for legend, expected_sign in LEGENDS:
        match = legend.search(text)
        if match:
            return signed_lines(_to_next_legend(text[match.end() :]), expected_sign)
    return []


def _to_next_legend(text: str) -> str:
    """Return a text up to a second diff: Mocha adds its own below that of node:assert."""
    ends = [match.start() for legend, _ in LEGENDS for match in [legend.search(text)] if match]
    return text[: min(ends)] if ends else text


def _jest_pairs(expected: re.Match[str], received: str, *, is_path: bool) -> list[StatedPair]:
    if expected["comparison"]:
        return [pair(expected["value"], received, kind=PairKind.COMPARISON)]
    if expected["part"] in CONTAINED and not is_path:
        return [pair(expected["value"], received, kind=PairKind.MEMBERSHIP)]
    return pairs(expected["value"], received)


def _worded(match: re.Match[str]) -> StatedPair:
    kind = PairKind.EQUALITY
    if match["how"] in COMPARING:
        kind = PairKind.COMPARISON
    elif match["how"] in CONTAINING:
        kind = PairKind.MEMBERSHIP
    return pair(match["expected"], match["observed"], Sides.STATED, kind)


def signed_lines(text: str, expected_sign: str) -> list[StatedPair]:
    """Pair the removed and the added lines of a diff one by one."""
    expected: list[str] = []
    observed: list[str] = []
    for line in text.split("\n"):
        match = SIGNED.match(line)
        if match and match[2].strip() not in LEGEND_WORDS:
            (expected if match[1] == expected_sign else observed).append(match[2])
    return [_field_pair(one, other) for one, other in zip(expected, observed, strict=False)]


FIELD = re.compile(r"^\s*[\"']?(?P<name>[A-Za-z_]\w*)[\"']?:\s+(?P<value>.+?),?$")


def _field_pair(expected: str, observed: str) -> StatedPair:
    one, other = FIELD.match(expected), FIELD.match(observed)
    if one and other and one["name"] == other["name"]:
        stated = pair(one["value"], other["value"])
        return StatedPair(stated.expected, stated.observed, field=one["name"])
    return pair(expected, observed)
