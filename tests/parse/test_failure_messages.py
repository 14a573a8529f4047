"""Expected and observed, as each framework states them."""

import pytest

from triage.parse.failure_messages.pairs import PairKind, Sides
from triage.parse.failure_messages.reading import read_pairs

FLIPS = {
    "pytest, literal right": (
        '>       assert classify(t) == "fraud"\n'
        "E       AssertionError: assert 'billing' == 'fraud'",
        Sides.CONVENTION,
    ),
    "pytest, expected left": (
        ">       assert expected == got\nE       assert 'fraud' == 'billing'",
        Sides.CONVENTION,
    ),
    "pytest, record": (
        '>       assert got == {"label": "fraud"}\n'
        "E       AssertionError: assert {'label': 'billing'} == {'label': 'fraud'}",
        Sides.CONVENTION,
    ),
    "unittest": (
        'self.assertEqual("fraud", got)\n'
        "AssertionError: 'fraud' != 'billing'\n- fraud\n+ billing",
        Sides.CONVENTION,
    ),
    "jest": ('Expected: "fraud"\nReceived: "billing"', Sides.STATED),
    "vitest": ("AssertionError: expected 'billing' to be 'fraud' // Object.is", Sides.STATED),
    "chai diff": ("      + expected - actual\n\n      -billing\n      +fraud", Sides.STATED),
    "node:assert": (
        "  actual: 'billing',\n  expected: 'fraud',\n  operator: 'strictEqual'",
        Sides.STATED,
    ),
    "deno": ("    [Diff] Actual / Expected\n\n-   billing\n+   fraud", Sides.STATED),
    "TAP": ("  expected: fraud\n  actual:   billing", Sides.STATED),
    "jasmine": ("Expected 'billing' to be 'fraud'.", Sides.STATED),
    "JUnit 4": ("expected:<[fraud]> but was:<[billing]>\n\tat A.b(A.java:1)", Sides.STATED),
    "JUnit 5": ("label ==> expected: <fraud> but was: <billing>", Sides.STATED),
    "TestNG": ("label expected [fraud] but found [billing]", Sides.STATED),
    "Hamcrest": ('Expected: is "fraud"\n     but: was "billing"', Sides.STATED),
    "AssertJ": (
        'Expecting:\n <"billing">\nto be equal to:\n <"fraud">\nbut was not.',
        Sides.STATED,
    ),
    "testify": ('\texpected: "fraud"\n\tactual  : "billing"', Sides.STATED),
    "go words": ('label: got "billing", want "fraud"', Sides.STATED),
    "go-cmp": ('(-want +got):\n  - \tLabel: "fraud",\n  + \tLabel: "billing",', Sides.STATED),
    "RSpec": ('expected: "fraud"\n     got: "billing"', Sides.STATED),
    "PHPUnit": ("--- Expected\n+++ Actual\n@@ @@\n-'fraud'\n+'billing'", Sides.STATED),
    "NUnit": ('  Expected: "fraud"\n  But was:  "billing"', Sides.STATED),
    "MSTest": ("Assert.AreEqual failed. Expected:<fraud>. Actual:<billing>. ", Sides.STATED),
    "Rust": ('assertion `left == right` failed\n  left: "billing"\n right: "fraud"', Sides.UNKNOWN),
    "googletest": (
        'Expected equality of these values:\n  got\n    Which is: "billing"\n  "fraud"',
        Sides.CONVENTION,
    ),
    "Catch2": (
        '  CHECK( got=="fraud" )\nwith expansion:\n  "billing" == "fraud"',
        Sides.CONVENTION,
    ),
    "doctest (C++)": (
        'CHECK( g=="fraud" ) is NOT correct!\n  values: CHECK( billing == fraud )',
        Sides.CONVENTION,
    ),
    "Boost.Test": ('check g == "fraud" has failed [billing != fraud]', Sides.CONVENTION),
    "cmocka": ('"billing" != "fraud"', Sides.UNKNOWN),
    "XCTest": ('XCTAssertEqual failed: ("billing") is not equal to ("fraud")', Sides.UNKNOWN),
    "ExUnit": (
        'Assertion with == failed\n     left:  "billing"\n     right: "fraud"',
        Sides.UNKNOWN,
    ),
    "EUnit": ('{assertEqual,[{expected,<<"fraud">>},\n {value,<<"billing">>}]}', Sides.STATED),
    "busted": ("Passed in:\n(string) 'billing'\nExpected:\n(string) 'fraud'", Sides.STATED),
    "testthat": ('x[1]: "billing"\ny[1]: "fraud"', Sides.CONVENTION),
    "Robot Framework": ("label of ticket 17: billing != fraud", Sides.CONVENTION),
    "doctest (Python)": ("Expected:\n    'fraud'\nGot:\n    'billing'", Sides.STATED),
    "pytest-check": ("FAILURE: check billing == fraud: label", Sides.UNKNOWN),
    "deepeval": (
        "Metrics: Label (score: 0.0, threshold: 0.5, strict: False, error: None, reason: expected "
        "label 'fraud' but the reply says 'billing') failed.",
        Sides.STATED,
    ),
    "a person's own words": ("label drift: expected=fraud actual=billing", Sides.CONVENTION),
}


@pytest.mark.parametrize(("text", "sides"), FLIPS.values(), ids=FLIPS.keys())
def test_a_flip_is_read_from_every_framework(text: str, sides: Sides) -> None:
    first = read_pairs(text)[0]

    values = (first.expected, first.observed)
    assert (
        values == ("fraud", "billing")
        if sides is not Sides.UNKNOWN
        else set(values)
        == {
            "fraud",
            "billing",
        }
    )
    assert (first.sides, first.kind) == (sides, PairKind.EQUALITY)


def test_the_field_that_differs_is_named() -> None:
    (pair,) = read_pairs(
        "E       AssertionError: assert {'label': 'billing', 'n': 1} == {'label': 'fraud', 'n': 1}"
    )

    assert pair.field == "label"


def test_colours_are_no_part_of_a_value_however_they_are_spelt() -> None:
    for colour in ("\x1b[31m", "#x1B[31m", "[NON-XML-CHAR-0x1B][31m", "\ufffd[31m"):
        (pair,) = read_pairs(f'Expected: "{colour}fraud"\nReceived: "billing"')
        assert pair.expected == "fraud"


def test_a_cut_value_is_marked() -> None:
    (pair,) = read_pairs("E  assert 'I have refun...days.' == 'I have refun...soon.'")

    assert pair.is_truncated


def test_a_missed_threshold_is_a_comparison() -> None:
    (pair,) = read_pairs("E       assert 0.51 >= 0.8")

    assert (pair.kind, pair.expected, pair.observed) == (PairKind.COMPARISON, "0.8", "0.51")


def test_source_lines_of_a_traceback_are_no_values() -> None:
    assert read_pairs('  File "t.py", line 3\n    assert got == expected\nAssertionError') == []


def test_text_that_a_model_wrote_opens_no_new_match() -> None:
    (pair,) = read_pairs(
        "E       AssertionError: assert 'Expected: \"x\"' == 'fraud'\nE  \"Received: y\""
    )

    assert {pair.expected, pair.observed} == {'Expected: "x"', "fraud"}
