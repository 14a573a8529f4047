"""pytest, unittest, doctest, pytest-check and behave."""

import re

from triage.parse.failure_messages.pairs import PairKind, Sides, StatedPair
from triage.parse.failure_messages.values import ELLIPSIS, pair, pairs

ASSERT = re.compile(r"^(?:E\s+)?(?:AssertionError: )?assert (?P<rest>.+)$")
SOURCE = re.compile(r"^>\s+assert (?P<rest>.+)$")
OPERATORS = (" == ", " != ", " not in ", " in ", " >= ", " <= ", " > ", " < ", " is not ", " is ")
COMPARISONS = frozenset({">=", "<=", ">", "<"})
# In a message attribute the lines of the text run into one.
DIFFERING_ITEM = re.compile(
    r"(?:^E\s+|Differing items:\s+)(\{.+?\}) != (\{.+?\})(?:$|\s{2,}|\s+(?=Full|Use|\.\.\.))"
)
INDEX_DIFF = re.compile(r"^E\s+At index \d+ diff: (.+?) != (.+)$")
DIFF_LINE = re.compile(r"^E\s+([-+]) (.*)$")
EXPECTED_NAME = re.compile(r"\b(?:expected|expect|want|wanted|gold|golden|truth|target)\w*\b", re.I)
LITERAL = re.compile(r"^\s*(?:[bur]?['\"]|[\[{(]\s*['\"\]})]|-?\d|True\b|False\b|None\b)")
UNITTEST = re.compile(
    r"^(?:[\w.]*AssertionError: )(?P<first>.+?) "
    r"(?P<how>!=|not found in|not greater than or equal to|not greater than|not less than"
    r"|not less than or equal to) (?P<second>.+?)(?: : (?P<message>.*))?$"
)
# unittest says which comparison it chose before it shows the values.
COMPARED_AS = re.compile(r": (?:\w+ differ|Regex didn't match|Items in the \w+ set[^:]*): ")
# assertAlmostEqual names its bound behind the second value.
WITHIN = re.compile(r" within (?:\d+ places|[\d.e-]+ delta).*$")
# assert reply.startswith("I have"): the call is False, and pytest tells what it was called with.
METHOD = re.compile(
    r"where False = <built-in method (?:startswith|endswith|__contains__) of str object at \S+>"
    r"\((?P<expected>.+)\)\n(?:E\s+)?\s*\+\s+where <built-in method \S+ of str object at \S+> = "
    r"(?P<observed>.+)\.(?:startswith|endswith|__contains__)$",
    re.M,
)
UNITTEST_SOURCE = re.compile(r"\bassert\w*\((?P<arguments>.+)\)\s*$")
CHECK = re.compile(r"^\s*(?:FAILURE: )?check (?P<left>.+?) (?P<how>==|!=) (?P<right>.+?)(?:: .*)?$")
DOCTEST = re.compile(
    r"^Expected:\n(?P<expected>(?:    .*\n)+)Got:\n(?P<observed>(?:    .*\n?)+)", re.M
)
APPROXIMATE = re.compile("\N{PLUS-MINUS SIGN}|approx\\(")
APPROX = re.compile(r"Obtained: (?P<observed>.+)\n(?:E\s+)?\s*Expected: (?P<expected>.+)")


def read_pytest(text: str) -> list[StatedPair]:
    """Return the pairs of pytest's assertion rewriting.

    The text is in source order, so which side was expected is told by the source line: a literal
    or a name such as ``expected`` is the expected side, a call the observed one.
    """
    lines = text.split("\n")
    found = [*_differing_items(lines)]
    for line in lines:
        # Indented lines are source code in a traceback: names, not values.
        match = ASSERT.match(line)
        split = split_operator(match["rest"]) if match else None
        if split:
            return [*found, *_asserted(split, lines)]
    return found


def read_pytest_method(text: str) -> list[StatedPair]:
    """Return the pairs of methods of str that pytest explains: what was asked, and of what."""
    return [
        pair(match["expected"], match["observed"], Sides.CONVENTION, PairKind.PATTERN)
        for match in METHOD.finditer(text)
    ]


def read_unittest(text: str) -> list[StatedPair]:
    """Return the pairs of unittest's assertEqual and its kin."""
    for line in text.split("\n"):
        plain = WITHIN.sub("", line.strip())
        match = UNITTEST.match(COMPARED_AS.sub(": ", plain))
        if match and "Regex didn't match" in plain:
            kind = PairKind.PATTERN
            return [pair(match["first"], match["second"], Sides.CONVENTION, kind)]
        if match and plain != line.strip():
            kind = PairKind.COMPARISON
            return [pair(match["second"], match["first"], Sides.UNKNOWN, kind)]
        if match:
            return _unittest_pairs(match, text)
    return []


def read_doctest(text: str) -> list[StatedPair]:
    """Return the pairs of doctest's Expected and Got."""
    return [
        pair(match["expected"].strip(), match["observed"].strip())
        for match in DOCTEST.finditer(text + "\n")
    ]


def read_approx(text: str) -> list[StatedPair]:
    """Return the pairs of pytest.approx."""
    return [
        pair(match["expected"], match["observed"], kind=PairKind.COMPARISON)
        for match in APPROX.finditer(text)
    ]


def read_check(text: str) -> list[StatedPair]:
    """Return the pairs of pytest-check."""
    return [
        pair(match["right"], match["left"], Sides.UNKNOWN)
        for match in map(CHECK.match, text.split("\n"))
        if match
    ]


def split_operator(expression: str) -> tuple[str, str, str] | None:
    """Return (left, operator, right), split at the first operator outside quotes and brackets."""
    depth, quote, position = 0, "", 0
    while position < len(expression):
        character = expression[position]
        if quote:
            position += character == "\\"
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == " " and depth <= 0:
            for operator in OPERATORS:
                if expression.startswith(operator, position):
                    rest = expression[position + len(operator) :]
                    return expression[:position], operator.strip(), rest
        position += 1
    return None


def _asserted(split: tuple[str, str, str], lines: list[str]) -> list[StatedPair]:
    left, operator, right = split
    if operator in COMPARISONS:
        return [pair(right, left, Sides.CONVENTION, PairKind.COMPARISON)]
    if operator in {"in", "not in"}:
        observed, expected = (left, right) if right.lstrip()[:1] in "{[(" else (right, left)
        return [pair(expected, observed, Sides.CONVENTION, PairKind.MEMBERSHIP)]
    if "\N{PLUS-MINUS SIGN}" in left + right or "approx(" in left + right:
        expected, observed = (left, right) if APPROXIMATE.search(left) else (right, left)
        return [pair(expected, observed, Sides.CONVENTION, PairKind.COMPARISON)]
    if ELLIPSIS.search(left) or ELLIPSIS.search(right):
        left, right = _from_diff(lines, left, right)
    expected_first = _is_expected_first(lines)
    sides = Sides.UNKNOWN if expected_first is None else Sides.CONVENTION
    expected, observed = (left, right) if expected_first else (right, left)
    return pairs(expected, observed, sides)


def _is_expected_first(lines: list[str]) -> bool | None:
    """Return whether the source line names the expected side first; ``None`` if it cannot tell."""
    source = next((match for match in map(SOURCE.match, lines) if match), None)
    split = split_operator(source["rest"]) if source else None
    if not split:
        return None
    left, _, right = split
    return _which_is_expected(left, right)


def _from_diff(lines: list[str], left: str, right: str) -> tuple[str, str]:
    """Return the values from the diff, where a short line is not cut: + is left, - is right."""
    signed: dict[str, list[str]] = {"-": [], "+": []}
    for match in map(DIFF_LINE.match, lines):
        if match:
            signed[match[1]].append(match[2])
    if len(signed["-"]) == len(signed["+"]) == 1:
        return signed["+"][0], signed["-"][0]
    return left, right


def _differing_items(lines: list[str]) -> list[StatedPair]:
    expected_first = _is_expected_first(lines)
    sides = Sides.UNKNOWN if expected_first is None else Sides.CONVENTION
    found: list[StatedPair] = []
    for line in lines:
        match = DIFFERING_ITEM.search(line) or INDEX_DIFF.match(line)
        if match:
            left, right = match[1], match[2]
            found += pairs(*((left, right) if expected_first else (right, left)), sides)
    return found


def _unittest_pairs(match: re.Match[str], text: str) -> list[StatedPair]:
    first, second = match["first"], match["second"]
    if match["how"] == "not found in":
        return [pair(second, first, Sides.CONVENTION, PairKind.MEMBERSHIP)]
    if match["how"] != "!=":
        return [pair(second, first, Sides.CONVENTION, PairKind.COMPARISON)]
    expected_first = _is_first_argument_expected(text)
    sides = Sides.UNKNOWN if expected_first is None else Sides.CONVENTION
    return pairs(*((first, second) if expected_first else (second, first)), sides)


def _is_first_argument_expected(text: str) -> bool | None:
    for line in text.split("\n"):
        match = UNITTEST_SOURCE.search(line)
        if match and "," in match["arguments"]:
            first, _, rest = match["arguments"].partition(",")
            return _which_is_expected(first, rest.strip())
    return None


def _which_is_expected(first: str, second: str) -> bool | None:
    """Return whether the first of two operands is the expected one; ``None`` if neither tells."""
    for sign in (EXPECTED_NAME.search, LITERAL.match):
        tells_first, tells_second = bool(sign(first)), bool(sign(second))
        if tells_first != tells_second:
            return tells_first
    return None
