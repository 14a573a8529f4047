"""What differs in a failing try."""

import pytest

from triage.classify.differences import read_difference
from triage.parse.report import NO_EVIDENCE, Evidence, Failure, Observation, Try
from triage.terms import Difference, Outcome

LABELS = frozenset({"fraud", "billing", "shipping"})
FLIP = "E       AssertionError: assert 'billing' == 'fraud'"
WORDING = "E       AssertionError: assert 'I refunded it' == 'I have refunded it'"


def failed(
    text: str, evidence: Evidence = NO_EVIDENCE, kind: str = "", outcome: Outcome = Outcome.FAILED
) -> Try:
    """Return a failed try with this text."""
    return Try(outcome, None, (Failure(outcome, kind, "", text, len(text)),), evidence)


def told(expected: str, observed: str | None) -> Evidence:
    """Return evidence of one observation."""
    return Evidence(observations=(Observation(expected, observed),))


def test_an_observed_flip_outweighs_whatever_the_text_says() -> None:
    stated = read_difference(failed(WORDING, told("fraud", "billing")), frozenset())

    assert stated.difference is Difference.LABEL
    assert stated.flip is not None
    assert (stated.flip.expected, stated.flip.observed) == ("fraud", "billing")


def test_two_values_of_the_closed_set_are_a_flip() -> None:
    assert read_difference(failed(FLIP), LABELS).difference is Difference.LABEL


def test_values_outside_the_closed_set_are_wording() -> None:
    assert read_difference(failed(WORDING), LABELS).difference is Difference.TEXT


def test_two_short_values_without_a_closed_set_could_be_labels() -> None:
    assert read_difference(failed(FLIP), frozenset()).could_be_label
    assert not read_difference(failed(WORDING), frozenset()).could_be_label
    assert not read_difference(failed("E  assert 3 == 4"), frozenset()).could_be_label


def test_equal_labels_and_a_failing_text_are_wording() -> None:
    stated = read_difference(failed(FLIP, told("fraud", "fraud")), frozenset())

    assert (stated.difference, stated.could_be_label) == (Difference.TEXT, False)


def test_an_answer_that_does_not_parse_is_invalid() -> None:
    text = "E       json.decoder.JSONDecodeError: Expecting value: line 1 column 1"

    assert read_difference(failed(text), LABELS).difference is Difference.INVALID


def test_a_missed_threshold_breaks_an_invariant() -> None:
    text = "E       assert 0.51 >= 0.8"

    assert read_difference(failed(text), LABELS).difference is Difference.INVALID


def test_an_exception_of_the_test_is_a_crash() -> None:
    assert read_difference(failed("E   KeyError: 'x'"), LABELS).difference is Difference.CRASH


def test_a_failed_setup_is_a_crash() -> None:
    attempt = failed("failed on setup with x", outcome=Outcome.ERRORED)

    assert read_difference(attempt, LABELS).difference is Difference.CRASH


def test_an_endpoint_that_failed_is_the_provider() -> None:
    text = "E   openai.RateLimitError: Error code: 429"

    assert read_difference(failed(text), LABELS).difference is Difference.PROVIDER


def test_a_failure_without_words_is_unknown_and_never_wording() -> None:
    assert read_difference(failed(""), LABELS).difference is Difference.UNKNOWN
    assert read_difference(failed("AssertionError"), LABELS).difference is Difference.UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("E  assert 'billing' in {'chargeback', 'fraud'}", id="not in the allowed set"),
        pytest.param("E  assert 'billing' not in ['billing', 'fraud']", id="in the forbidden set"),
        pytest.param(
            "AssertionError: Lists differ: ['billing', 'x'] != ['fraud', 'x']",
            id="member of a list",
        ),
        pytest.param(
            'expected: {:label=>"fraud", :n=>1}\n     got: {:label=>"billing", :n=>1}', id="Ruby"
        ),
        pytest.param(
            'assertion failed\n  left: V { label: "billing", c: 0.5 }\n'
            ' right: V { label: "fraud", c: 0.9 }',
            id="Rust",
        ),
        pytest.param(
            "expected: <V(label=fraud, n=1)> but was: <V(label=billing, n=1)>", id="Kotlin"
        ),
        pytest.param(
            "Passed in:\n(table: 0x1) {\n *[label] = 'billing' }\nExpected:\n(table: 0x2) {\n"
            " *[label] = 'fraud' }",
            id="Lua",
        ),
        pytest.param(
            'Expected path: "label"\nExpected value: "fraud"\nReceived value: "billing"', id="Jest"
        ),
        pytest.param(
            "Error: expect(received).toEqual(expected)\n\n  {\n-   label: 'fraud',\n"
            "+   label: 'billing',\n  }",
            id="Bun",
        ),
        pytest.param("{'label': 'billing'} != {'label': 'fraud'}", id="Robot"),
        pytest.param(
            "Retry #1 ────\nExpected: 1\nReceived: 2\n\nRetry #2 ────\n"
            'Expected: "fraud"\nReceived: "billing"',
            id="second attempt of Playwright",
        ),
        pytest.param(
            'Expected: (is "fraud" or is "shipping")\n     but: was "billing"', id="Hamcrest"
        ),
    ],
)
def test_a_flip_is_found_in_whatever_form_values_are_printed(text: str) -> None:
    stated = read_difference(failed(text), LABELS | {"chargeback"})

    assert stated.difference is Difference.LABEL
    assert stated.flip is not None
    assert "billing" in {*stated.flip.observed.split(" | "), *stated.flip.expected.split(" | ")}


def test_a_cut_record_may_hide_a_label_and_is_no_wording() -> None:
    text = "E  assert '{\"confid...days.\"}' == '{\"confid...days.\"}'"

    assert read_difference(failed(text), LABELS).difference is Difference.UNKNOWN


def test_a_cut_sentence_that_differs_where_it_shows_is_wording() -> None:
    text = "E  assert 'I refun...days.' == 'I have...days.'"

    assert read_difference(failed(text), LABELS).difference is Difference.TEXT


def test_a_field_that_is_true_or_false_could_be_a_label_and_a_bare_condition_could_not() -> None:
    field = "E  assert {'is_fraud': False, 'n': 1} == {'is_fraud': True, 'n': 1}"

    assert read_difference(failed(field), frozenset()).could_be_label
    assert not read_difference(failed("E  assert False == True"), frozenset()).could_be_label


@pytest.mark.parametrize(
    "text",
    [
        "E  assert 0.51 == 0.93 ± 0.01",
        "AssertionError: 0.93 != 0.51 within 2 places (0.42 difference)",
        "AssertionError: expected 0.51 to be above 0.8\n      + expected - actual\n\n-0.51\n+0.8",
        "Expected 0.51 to be greater than 0.8.",
        "expected: > 0.8\n     got: 0.51",
        "  Expected: greater than 0.8\n  But was:  0.51",
        "expect(received).toBeCloseTo(expected)\n\nExpected: 0.93\nReceived: 0.51",
        "E   AssertionError: Metrics: Relevancy (score: 0.3, threshold: 0.5, strict: False, "
        "error: None, reason: it (nearly) answers, but no) failed.",
        "  CHECK( c == Approx(0.93) )\nwith expansion:\n  0.51 == Approx( 0.93 )",
    ],
)
def test_a_number_beyond_its_bound_breaks_an_invariant(text: str) -> None:
    assert read_difference(failed(text), LABELS).difference is Difference.INVALID


def test_what_a_call_was_asked_shows_the_wording() -> None:
    text = (
        "E       assert False\n"
        "E        +  where False = <built-in method startswith of str object at 0x7f>('I have')\n"
        "E        +    where <built-in method startswith of str object at 0x7f> = "
        '"I\'ve refunded".startswith'
    )

    stated = read_difference(failed(text), LABELS)

    assert stated.difference is Difference.TEXT
    assert (stated.pairs[0].expected, stated.pairs[0].observed) == ("I have", "I've refunded")
