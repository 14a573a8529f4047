"""The demo's reports read back as what was recorded."""

import hashlib

import pytest

from triage.demo.evals import EvalCase, eval_cases
from triage.demo.reports import report
from triage.demo.runs import PLANTED, Request, main_run, pull_request_run, second_pass
from triage.parse.report import Observation, Report, Result
from triage.parse.upload import UploadedFile, read_upload
from triage.terms import Assertion, Merge, Outcome


@pytest.fixture(scope="module")
def cases() -> list[EvalCase]:
    return eval_cases()


def read(body: bytes) -> Report:
    reading = read_upload((UploadedFile("junit.xml", body),))
    assert reading.refused == []
    assert reading.ignored == []
    return reading.reports[0]


def result_named(read_report: Report, name: str) -> Result:
    return next(result for result in read_report.results if result.case.name == name)


def test_the_pull_requests_report_reads_back_without_a_warning(cases: list[EvalCase]) -> None:
    read_report = read(report(pull_request_run(cases)))

    assert read_report.warnings == []
    assert read_report.totals.tests == 221
    assert read_report.totals.failed == 5
    assert read_report.totals.passed == 216


def test_a_flip_tells_its_labels_its_snapshot_and_the_call_it_shares(
    cases: list[EvalCase],
) -> None:
    result = result_named(read(report(pull_request_run(cases))), "test_sentence[test018-35]")
    evidence = result.tries[0].evidence

    assert result.outcome is Outcome.FAILED
    assert evidence.observations == (Observation("topic_generalization", "indicating_a_gap"),)
    assert evidence.model_requested == "gpt-4.1-mini"
    assert evidence.model_answered == "gpt-4.1-mini-2025-04-14"
    assert evidence.response_id == "temp_0.0/run_44/test018"
    assert evidence.assertion is Assertion.PARSED
    assert len(evidence.labels) == 11
    assert result.tries[0].failures[0].message.splitlines()[0] == (
        "AssertionError: assert 'indicating_a_gap' == 'topic_generalization'"
    )


def test_a_wording_failure_tells_that_the_label_agrees(cases: list[EvalCase]) -> None:
    result = result_named(read(report(pull_request_run(cases))), "test_answer[navigate-94]")
    evidence = result.tries[0].evidence

    assert result.outcome is Outcome.FAILED
    assert evidence.observations == (Observation("No", "No"),)
    assert evidence.assertion is Assertion.BYTES
    assert evidence.model_answered is None
    assert evidence.output_sha256 not in {None, "", cases[0].expected_output}


def test_the_planted_answer_tells_no_digest(cases: list[EvalCase]) -> None:
    result = result_named(read(report(pull_request_run(cases))), PLANTED.case)

    assert result.tries[0].evidence.output_sha256 is None


def test_repeats_read_back_as_one_case_with_three_tries(cases: list[EvalCase]) -> None:
    asked = [Request("tests.evals.test_move_step", "test_sentence[test018-35]", 3)]

    read_report = read(report(second_pass(cases, asked)))

    assert [result.case.name for result in read_report.results] == ["test_sentence[test018-35]"]
    result = read_report.results[0]
    assert result.merge is Merge.REPETITION
    assert [each.outcome for each in result.tries] == [
        Outcome.PASSED,
        Outcome.FAILED,
        Outcome.PASSED,
    ]


def test_reports_are_the_same_bytes_at_every_replay(cases: list[EvalCase]) -> None:
    digest = hashlib.sha256(report(main_run(cases, 30))).hexdigest()

    assert digest == hashlib.sha256(report(main_run(eval_cases(), 30))).hexdigest()
