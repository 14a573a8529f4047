"""A result taken apart into its calls."""

import pytest

from triage.classify.calls import KnownLabels, label_key, read_calls
from triage.parse.report import CaseName, Evidence, Failure, Observation, Result, Try
from triage.terms import Difference, Outcome

NAME = CaseName((), "", "c", "t")


def result(*tries: Try) -> Result:
    """Return a result of these tries."""
    return Result(NAME, tries[-1].outcome, None, tries)


def failed(text: str, *observations: Observation, calls: int | None = None) -> Try:
    """Return a failed try."""
    evidence = Evidence(observations=observations, calls=calls)
    return Try(Outcome.FAILED, None, (Failure(Outcome.FAILED, "", "", text, len(text)),), evidence)


def test_each_observation_is_a_call_and_the_flip_is_the_result_s_difference() -> None:
    calls = read_calls(
        result(failed("x", Observation("a", "a"), Observation("a", "b"))),
        KnownLabels(),
        is_llm=True,
    )

    assert [call.difference for call in calls.calls] == [None, Difference.LABEL]
    assert calls.difference is Difference.LABEL


def test_calls_that_nothing_was_told_of_are_counted() -> None:
    calls = read_calls(
        result(failed("x", Observation("a", "b"), calls=5)), KnownLabels(), is_llm=True
    )

    assert calls.unrecorded == 4


def test_wording_with_a_recorded_label_stays_wording() -> None:
    (call,) = read_calls(
        result(failed("E  assert 'a b c d' == 'a b c e'", Observation("a", "a"))),
        KnownLabels(),
        is_llm=True,
    ).calls

    assert call.difference is Difference.TEXT
    assert call.agrees_on_label


def test_two_short_values_of_an_llm_case_are_taken_for_labels() -> None:
    attempt = failed("E  assert 'billing' == 'fraud'")

    (of_llm,) = read_calls(result(attempt), KnownLabels(), is_llm=True).calls
    (of_other,) = read_calls(result(attempt), KnownLabels(), is_llm=False).calls

    assert of_llm.difference is Difference.LABEL
    assert of_other.difference is Difference.TEXT


def test_an_answer_without_a_label_is_invalid() -> None:
    (call,) = read_calls(
        result(failed("x", Observation("a", None))), KnownLabels(), is_llm=True
    ).calls

    assert call.difference is Difference.INVALID


@pytest.mark.parametrize(
    ("text", "difference"),
    [
        ("E  openai.RateLimitError: Error code: 429", Difference.PROVIDER),
        ("E  KeyError: 'label'", Difference.CRASH),
        ("E  json.decoder.JSONDecodeError: Expecting value", Difference.INVALID),
    ],
)
def test_what_ended_a_call_says_why_no_label_was_recorded(
    text: str, difference: Difference
) -> None:
    (call,) = read_calls(
        result(failed(text, Observation("fraud", None))), KnownLabels(), is_llm=True
    ).calls

    assert call.difference is difference


@pytest.mark.parametrize("known", [KnownLabels(), KnownLabels(frozenset({"fraud", "billing"}))])
def test_a_flip_that_only_the_text_tells_is_a_flip_though_its_label_was_expected(
    known: KnownLabels,
) -> None:
    attempt = failed("E  assert 'billing' == 'fraud'", Observation("fraud", None))

    (call,) = read_calls(result(attempt), known, is_llm=True).calls

    assert (call.difference, call.expected, call.observed) == (
        Difference.LABEL,
        "fraud",
        "billing",
    )


def test_long_labels_are_cut_and_still_told_apart() -> None:
    first, second = label_key("x" * 500 + "a"), label_key("x" * 500 + "b")

    assert len(first) <= 200
    assert first != second


def test_a_learned_set_of_labels_does_not_make_a_new_label_wording() -> None:
    attempt = failed("E  assert 'billing' == 'fraud'")
    learned = KnownLabels(frozenset({"fraud"}))
    told = KnownLabels(frozenset({"fraud", "shipping"}), is_closed=True)

    (by_history,) = read_calls(result(attempt), learned, is_llm=True).calls
    (by_report,) = read_calls(result(attempt), told, is_llm=True).calls

    assert by_history.difference is Difference.LABEL
    assert by_report.difference is Difference.TEXT
