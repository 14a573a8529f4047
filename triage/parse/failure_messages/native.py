"""Go and testify, Rust, googletest, Catch2, doctest, Boost.Test, cmocka and XCTest."""

import re

from triage.parse.failure_messages.javascript import signed_lines
from triage.parse.failure_messages.pairs import PairKind, Sides, StatedPair
from triage.parse.failure_messages.python import COMPARISONS, LITERAL, split_operator
from triage.parse.failure_messages.values import pair, pairs

TESTIFY = re.compile(r"^\s*expected: (?P<expected>.+)\n\s*actual\s*: (?P<observed>.+)$", re.M)
GO_WORDS = re.compile(
    r"\bgot:? (?P<observed>\"[^\"\n]*\"|[^,;\n]{1,500}?)[,;]? "
    r"(?:but )?want(?:ed)?:? (?P<expected>.+)$",
    re.M,
)
GO_ASSIGNED = re.compile(r" = (?P<observed>[^=;\n]+)[;,] want(?:ed)? (?P<expected>.+)$", re.M)
GO_EXAMPLE = re.compile(r"^got:\n(?P<observed>.+)\nwant:\n(?P<expected>.+)$", re.M)
GO_CMP = re.compile(r"\(-want \+got\)")
RUST = re.compile(r"^\s*left: (?P<left>.+)\n\s*right: (?P<right>.+)$", re.M)
RUST_OLD = re.compile(r"left: `(?P<left>.+?)`,\s*right: `(?P<right>.+?)`", re.S)
GTEST = re.compile(
    r"Expected equality of these values:\n  (?P<first>.+)\n(?:    Which is: (?P<first_value>.+)\n)?"
    r"  (?P<second>.+)(?:\n    Which is: (?P<second_value>.+))?"
)
GTEST_COMPARED = re.compile(r"Expected: \(.+?\) [<>=!]+ \(.+?\), actual: (.+?) vs (.+)")
CATCH2 = re.compile(
    r"(?P<source>^\s*[A-Z_]+\( .+ \)$\n)?with expansion:\n\s+(?P<expanded>.+)$", re.M
)
DOCTEST_CPP = re.compile(
    r"CHECK\( (?P<source>.{1,500}?) \) is NOT correct!\n\s+values: CHECK\( (.+?) \)"
)
BOOST = re.compile(
    r"check (?P<source>.{1,500}?) has failed \[(?P<left>.+?) (?:!=|==) (?P<right>.+?)\]"
)
CMOCKA = re.compile(
    r'^(?P<left>"[^"\n]*"|0x[0-9a-f]+|-?[\d.]+) != (?P<right>"[^"\n]*"|0x[0-9a-f]+|-?[\d.]+)$', re.M
)
XCTEST = re.compile(r'\("(?P<left>.*?)"\) is not equal to \("(?P<right>.*?)"\)')


def read_testify(text: str) -> list[StatedPair]:
    """Return the pairs of testify."""
    return [
        each
        for match in TESTIFY.finditer(text)
        for each in pairs(match["expected"], match["observed"])
    ]


def read_go(text: str) -> list[StatedPair]:
    """Return the pairs of Go's habits: got and want."""
    for pattern in (GO_WORDS, GO_ASSIGNED, GO_EXAMPLE):
        found = [pair(match["expected"], match["observed"]) for match in pattern.finditer(text)]
        if found:
            return found
    return []


def read_go_cmp(text: str) -> list[StatedPair]:
    """Return the pairs of go-cmp with its usual header; without one the sides are not known."""
    match = GO_CMP.search(text)
    return signed_lines(text[match.end() :], "-") if match else []


def read_rust(text: str) -> list[StatedPair]:
    """Return the pairs of Rust's assert_eq, which has no expected side."""
    match = RUST_OLD.search(text) or RUST.search(text)
    return pairs(match["right"], match["left"], Sides.UNKNOWN) if match else []


def read_gtest(text: str) -> list[StatedPair]:
    """Return the pairs of googletest: an operand without "Which is" is a literal, so expected."""
    found = []
    for match in GTEST.finditer(text):
        first = match["first_value"] or match["first"]
        second = match["second_value"] or match["second"]
        sides = Sides.UNKNOWN
        if bool(match["first_value"]) != bool(match["second_value"]):
            sides = Sides.CONVENTION
        is_first_expected = bool(match["second_value"]) and not match["first_value"]
        found += pairs(*((first, second) if is_first_expected else (second, first)), sides)
    return found or [
        pair(match[2], match[1], kind=PairKind.COMPARISON)
        for match in GTEST_COMPARED.finditer(text)
    ]


def read_catch2(text: str) -> list[StatedPair]:
    """Return the pairs of Catch2's expansion."""
    found = []
    for match in CATCH2.finditer(text):
        split = split_operator(match["expanded"])
        if split and split[1] in {"==", "!="}:
            found.append(_ordered(split[0], split[2], match["source"] or ""))
        elif split and split[1] in COMPARISONS:
            found.append(pair(split[2], split[0], Sides.CONVENTION, PairKind.COMPARISON))
    return found


def read_doctest_cpp(text: str) -> list[StatedPair]:
    """Return the pairs of the C++ doctest, whose values are not quoted."""
    found = []
    for match in DOCTEST_CPP.finditer(text):
        left, operator, right = match[2].partition(" == ")
        if operator:
            found.append(_ordered(left, right, match["source"]))
    return found


def read_boost(text: str) -> list[StatedPair]:
    """Return the pairs of Boost.Test, which prints the negated operator."""
    return [
        _ordered(match["left"], match["right"], match["source"]) for match in BOOST.finditer(text)
    ]


def read_two_sided(text: str) -> list[StatedPair]:
    """Return the pairs of cmocka and XCTest, which name no side."""
    return [
        pair(match["right"], match["left"], Sides.UNKNOWN)
        for pattern in (CMOCKA, XCTEST)
        for match in pattern.finditer(text)
    ]


def _ordered(left: str, right: str, source: str) -> StatedPair:
    """Return a pair whose literal side, by the source, is the expected one."""
    if "Approx(" in left + right:
        bound, value = (left, right) if "Approx(" in left else (right, left)
        return pair(bound, value, Sides.CONVENTION, PairKind.COMPARISON)
    before, operator, after = source.partition("==")
    if not operator:
        return pair(right, left, Sides.UNKNOWN)
    is_left = bool(LITERAL.match(re.sub(r"^\s*[A-Z_]+\(", "", before).strip()))
    is_right = bool(LITERAL.match(after.strip()))
    if is_left == is_right:
        return pair(right, left, Sides.UNKNOWN)
    return pair(*((left, right) if is_left else (right, left)), Sides.CONVENTION)
