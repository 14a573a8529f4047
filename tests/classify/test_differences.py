"""What differs in a failing try."""

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
