"""Two runs held against each other, case by case and leg by leg."""

from dataclasses import replace

import numpy as np
import pytest

from triage.models.vectors import Code
from triage.terms import Difference
from triage.verdict.run_comparison import RunDifference, compare_runs
from triage.verdict.run_states import KeptResult, RunState

A, F, P, S = Code.ABSENT, Code.FAILED, Code.PASSED, Code.SKIPPED
WORDING = KeptResult(
    case_id=0,
    slot=0,
    title="",
    leg="",
    has_failed=True,
    difference=Difference.TEXT,
    flips=frozenset(),
    signature="aa",
    message="",
    result_id=0,
)
OTHER_WORDING = replace(WORDING, signature="bb")
BILLING = replace(WORDING, difference=Difference.LABEL, flips=frozenset({("fraud", "billing")}))
SHIPPING = replace(BILLING, flips=frozenset({("fraud", "shipping")}))


def state(
    codes: dict[str, list[Code]], kept: dict[tuple[str, int], KeptResult] | None = None
) -> RunState:
    """Return a run of these legs; ``kept`` are its rows by leg and slot."""
    placed = {
        (leg, slot): replace(row, leg=leg, slot=slot, case_id=slot, title=f"case {slot}")
        for (leg, slot), row in (kept or {}).items()
    }
    return RunState((), {leg: np.array(each, np.uint8) for leg, each in codes.items()}, placed)


def one(code: Code, kept: KeptResult | None = None) -> RunState:
    """Return a run of one case."""
    return state({"": [code]}, {("", 0): kept} if kept else {})


def differences(there: RunState, here: RunState) -> list[tuple[int, str]]:
    """Return slot and difference of every case that differs."""
    return [(each.slot, each.difference.value) for each in compare_runs(there, here).cases]


@pytest.mark.parametrize(
    ("there", "here", "difference"),
    [
        (one(P), one(F, WORDING), "newly_failing"),
        (one(S), one(F, WORDING), "newly_failing"),
        (one(F, WORDING), one(P), "no_longer_failing"),
        (one(F, WORDING), one(S), "no_longer_run"),
        (one(P), one(S), "no_longer_run"),
        (one(F, WORDING), one(F, WORDING), "failing_alike"),
        (one(F, WORDING), one(F, OTHER_WORDING), "failing_otherwise"),
        (one(F, BILLING), one(F, BILLING), "failing_alike"),
        (one(F, BILLING), one(F, WORDING), "failing_otherwise"),
        (one(F, BILLING), one(P), "no_longer_failing"),
        (one(F, BILLING), one(F, SHIPPING), "label_changed"),
        (one(F, WORDING), one(F, BILLING), "label_changed"),
        (one(P), one(F, BILLING), "label_changed"),
        (one(A), one(P), "only_here"),
        (one(F, WORDING), one(A), "only_there"),
    ],
)
def test_a_case_differs_in_one_way(there: RunState, here: RunState, difference: str) -> None:
    assert differences(there, here) == [(0, difference)]


@pytest.mark.parametrize("code", [P, S])
def test_a_case_that_is_right_in_both_is_counted_and_not_listed(code: Code) -> None:
    found = compare_runs(one(code), one(code))

    assert found.cases == []
    assert found.unchanged == 1


def test_a_flip_in_a_test_that_passed_is_a_change_of_label() -> None:
    silent = replace(BILLING, has_failed=False)

    assert differences(one(P), one(P, silent)) == [(0, "label_changed")]


def test_a_failure_that_a_retry_hid_is_still_one() -> None:
    assert differences(one(P), one(Code.PASSED_AFTER_RETRY, WORDING)) == [(0, "newly_failing")]


def test_a_repetition_that_always_passed_is_no_failure() -> None:
    assert differences(one(P), one(P, replace(WORDING, has_failed=False))) == []


def test_a_failure_whose_rows_are_gone_is_never_said_to_be_the_same() -> None:
    assert differences(one(F, WORDING), one(F)) == [(0, "failing_otherwise")]


def test_the_worst_change_stands_first_and_each_case_once() -> None:
    there = state({"": [P, F, F, P, P, A]}, {("", 1): WORDING, ("", 2): WORDING})
    here = state({"": [F, F, P, F, S, P]}, {("", 0): WORDING, ("", 1): WORDING, ("", 3): BILLING})

    assert differences(there, here) == [
        (3, "label_changed"),
        (0, "newly_failing"),
        (1, "failing_alike"),
        (2, "no_longer_failing"),
        (4, "no_longer_run"),
        (5, "only_here"),
    ]


def test_a_leg_is_compared_with_the_leg_of_the_same_name() -> None:
    there = state({"3.11": [P], "3.12": [F]}, {("3.12", 0): WORDING})
    here = state({"3.11": [F], "3.12": [F]}, {("3.11", 0): WORDING, ("3.12", 0): WORDING})

    newly, alike = compare_runs(there, here).cases

    assert (newly.difference, newly.here and newly.here.leg) == ("newly_failing", "3.11")
    assert (alike.difference, alike.here and alike.here.leg) == ("failing_alike", "3.12")


def test_a_case_that_was_dealt_to_another_shard_is_found_there() -> None:
    there = state({"1/2": [F, A], "2/2": [A, P]}, {("1/2", 0): WORDING})
    here = state({"1/2": [A, P], "2/2": [F, A]}, {("2/2", 0): WORDING})

    found = compare_runs(there, here)

    assert [each.difference for each in found.cases] == [RunDifference.FAILING_ALIKE]
    assert found.unchanged == 1


def test_a_leg_that_the_other_run_lacks_lists_its_failures_alone() -> None:
    there = state({"3.11": [P, P]})
    here = state({"3.11": [P, P], "3.13": [F, P]}, {("3.13", 0): WORDING})

    assert differences(there, here) == [(0, "only_here")]
    assert compare_runs(there, here).unchanged == 1


def test_runs_of_different_length_and_no_run_at_all_compare() -> None:
    assert differences(state({}), one(P)) == [(0, "only_here")]
    assert compare_runs(state({}), state({})).counts == dict.fromkeys(RunDifference, 0)
