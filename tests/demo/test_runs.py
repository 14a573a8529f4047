"""What the runs of the demo hold."""

import pytest

from triage.demo.evals import EvalCase, eval_cases
from triage.demo.runs import (
    MAIN_RUNS,
    PLANTED,
    Execution,
    Request,
    main_run,
    pull_request_run,
    second_pass,
)

MOVE_STEP = "tests.evals.test_move_step"


@pytest.fixture(scope="module")
def cases() -> list[EvalCase]:
    return eval_cases()


def failing(executions: list[Execution]) -> list[tuple[str, str, str]]:
    return [
        (each.case.name, each.case.expected_label, each.answer.label)
        for each in executions
        if not each.case.is_met_by(each.answer)
    ]


def test_every_answer_on_the_main_branch_is_a_recorded_one(cases: list[EvalCase]) -> None:
    executions = [each for run in range(1, MAIN_RUNS + 1) for each in main_run(cases, run)]

    assert len(executions) == 21 * 171 + 9 * 221
    assert all(each.answer in each.case.recordings for each in executions)


def test_the_pull_request_holds_one_planted_answer_and_nothing_else_made_up(
    cases: list[EvalCase],
) -> None:
    executions = pull_request_run(cases)

    made_up = [each for each in executions if each.answer not in each.case.recordings]

    assert len(executions) == 221
    assert [each.case.name for each in made_up] == [PLANTED.case]
    assert made_up[0].answer.label == PLANTED.to_label
    assert made_up[0].answer.output_sha256 is None


def test_the_planted_case_never_flipped_before(cases: list[EvalCase]) -> None:
    case = next(case for case in cases if case.name == PLANTED.case)

    assert {each.label for each in case.recordings} == {PLANTED.from_label}


def test_the_pull_request_fails_by_two_flips_a_regression_and_two_wordings(
    cases: list[EvalCase],
) -> None:
    assert failing(pull_request_run(cases)) == [
        ("test_sentence[test018-35]", "topic_generalization", "indicating_a_gap"),
        ("test_sentence[test028-17]", "gap_or_niche", "topic_generalization"),
        ("test_sentence[test033-13]", "indicating_a_gap", "question_raising"),
        ("test_answer[navigate-94]", "No", "No"),
        ("test_answer[logical_deduction-162]", "C", "C"),
    ]


def test_a_second_pass_is_answered_by_the_runs_recorded_next(cases: list[EvalCase]) -> None:
    asked = [Request(MOVE_STEP, "test_sentence[test033-13]", 3)]

    repeats = second_pass(cases, asked)

    assert [(each.repeat, each.repeats, each.answer.run) for each in repeats] == [
        (1, 3, 45),
        (2, 3, 46),
        (3, 3, 47),
    ]


def test_the_planted_label_stays_in_the_second_pass(cases: list[EvalCase]) -> None:
    repeats = second_pass(cases, [Request(MOVE_STEP, PLANTED.case, 3)])

    assert [each.answer.label for each in repeats] == [PLANTED.to_label] * 3


def test_a_repeat_that_was_never_recorded_is_refused(cases: list[EvalCase]) -> None:
    asked = [Request(MOVE_STEP, "test_sentence[test033-13]", 4)]

    with pytest.raises(ValueError, match=r"repeat 4 of test_sentence\[test033-13\] was never"):
        second_pass(cases, asked)
