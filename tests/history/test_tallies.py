"""Calls counted by how they ended."""

from triage.classify.calls import Call
from triage.history.tallies import Tally, tally_calls
from triage.terms import Difference


def test_a_call_without_an_answer_counts_apart_from_all_others() -> None:
    counted = tally_calls([Call(0, 0, Difference.PROVIDER), Call(0, 1, None)])

    assert (counted.calls, counted.provider, counted.divergent) == (1, 1, 0)


def test_labels_are_counted_by_what_was_expected_and_what_came_back() -> None:
    counted = tally_calls(
        [Call(0, 0, None, "a", "a"), Call(1, 0, Difference.LABEL, "a", "b"), Call(2, 0, None)]
    )

    assert dict(counted.labels) == {("a", "a"): 1, ("a", "b"): 1}
    assert (counted.calls, counted.label, counted.wording) == (3, 1, 0)


def test_margins_are_summed_with_the_sign_of_agreement() -> None:
    counted = tally_calls(
        [
            Call(0, 0, None, "a", "a", margin=2.0),
            Call(1, 0, Difference.LABEL, "a", "b", margin=0.5),
            Call(2, 0, None, "a", "a"),
        ]
    )

    assert (counted.margins, counted.margin_sum, counted.margin_squares) == (2, 1.5, 4.25)


def test_a_tally_comes_back_from_what_is_stored() -> None:
    counted = tally_calls([Call(0, 0, Difference.LABEL, "a", "b", margin=0.5)])

    assert Tally.from_json(counted.as_json()) == counted
