"""Outputs and labels out of the files that evaluation tools write beside their JUnit report."""

import hashlib
import json
from typing import Any

from tests.parse.reports import case, junit
from triage.classify.differences import read_difference
from triage.parse.archives import UploadedFile
from triage.parse.report import Observation, UploadReading
from triage.parse.upload import read_upload
from triage.terms import Difference, Merge

FAILED = (
    '<failure message="Assertion failed" type="assertion">Score: 0\nReason: Assertion failed\n'
    "Failed assertions:\n- equals</failure>"
)


def promptfoo_xml(*cases: str) -> UploadedFile:
    """Return promptfoo's report of one provider and one prompt."""
    body = "".join(cases)
    suite = f'<testsuite name="[gpt] prompt 1">{body}</testsuite>'
    xml = f'<testsuites name="promptfoo">{suite}</testsuites>'
    return UploadedFile("results.junit.xml", xml.encode())


def prompt_case(name: str, inner: str = "") -> str:
    """Return a case of that report."""
    return f'<testcase classname="[gpt] prompt 1" name="{name}">{inner}</testcase>'


def row(number: int, output: str, assertion: dict[str, Any], **test: Any) -> dict[str, Any]:
    """Return one row of results.json, with the reason that promptfoo gives for a failure."""
    reason = f'Expected output to {assertion["type"].removesuffix("s")} "{assertion["value"]}"'
    return {
        "promptIdx": 0,
        "testIdx": number,
        "provider": {"id": "openai:gpt-4.1-mini", "label": "gpt"},
        "prompt": {"raw": "Classify: x"},
        "response": {"output": output},
        "testCase": {"assert": [assertion], **test},
        "gradingResult": {"componentResults": [{"pass": False, "reason": reason}]},
    }


def results_json(*rows: dict[str, Any]) -> UploadedFile:
    """Return promptfoo's results."""
    told = {"evalId": "e", "results": {"version": 3, "results": list(rows)}}
    return UploadedFile("results.json", json.dumps(told).encode())


def read(*files: UploadedFile) -> UploadReading:
    """Read an upload in which nothing is refused."""
    reading = read_upload(files)
    assert reading.refused == []
    return reading


def test_a_flip_that_promptfoo_hides_is_read_out_of_its_results() -> None:
    output = '{"label":"billing","confidence":0.51}'
    reading = read(
        promptfoo_xml(prompt_case("test 1: stolen card", FAILED)),
        results_json(
            row(
                0,
                output,
                {"type": "javascript", "value": "JSON.parse(output).label==='fraud'"},
                description="stolen card",
            )
        ),
    )

    (report,) = reading.reports
    (attempt,) = report.results[0].tries
    assert attempt.evidence.observations == (Observation("fraud", "billing"),)
    assert attempt.evidence.output_sha256 == hashlib.sha256(output.encode()).hexdigest()
    assert attempt.evidence.model_requested == "openai:gpt-4.1-mini"
    assert read_difference(attempt, frozenset()).difference is Difference.LABEL
    assert report.missing_evidence == ""
    assert [(each.file, each.tool) for each in reading.evidence_files] == [
        ("results.json", "promptfoo")
    ]


def test_a_missing_word_is_wording_and_shows_the_output() -> None:
    (report,) = read(
        promptfoo_xml(prompt_case("test 1", FAILED)),
        results_json(row(0, "I cannot do that, sorry", {"type": "contains", "value": "refunded"})),
    ).reports

    stated = read_difference(report.results[0].tries[0], frozenset({"fraud", "billing"}))

    assert stated.difference is Difference.TEXT
    assert (stated.pairs[0].expected, stated.pairs[0].observed) == (
        "refunded",
        "I cannot do that, sorry",
    )


def test_without_its_results_promptfoo_s_report_says_what_is_missing_and_how_to_add_it() -> None:
    (report,) = read(promptfoo_xml(prompt_case("test 1", FAILED))).reports

    assert "-o results.json" in report.missing_evidence
    assert read_difference(report.results[0].tries[0], frozenset()).difference is (
        Difference.UNKNOWN
    )


def test_repetitions_of_promptfoo_are_samples_of_one_test() -> None:
    same = {"type": "equals", "value": "fraud"}
    names = ["test 1: a", "test 2: a", "test 3"]

    (report,) = read(
        promptfoo_xml(*(prompt_case(name, FAILED if "2" in name else "") for name in names)),
        results_json(
            row(0, "fraud", same, description="a"),
            row(1, "billing", same, description="a"),
            row(2, "fraud", same),
        ),
    ).reports

    first, second = report.results
    assert (first.case.name, first.merge, first.outcome) == ("a", Merge.REPETITION, "failed")
    assert [each.evidence.observations[0].observed for each in first.tries] == ["fraud", "billing"]
    assert second.case.name == "test 3"
    assert report.totals.tests == 3


def test_a_case_of_promptfoo_is_known_by_its_description() -> None:
    (report,) = read(promptfoo_xml(prompt_case("test 7: stolen"), prompt_case("test 8"))).reports

    assert [each.case.name for each in report.results] == ["stolen", "test 8"]
    assert "known by their position only: 1" in report.warnings[-1].message


def test_results_without_the_report_are_refused_with_what_to_send() -> None:
    reading = read_upload([results_json(row(0, "x", {"type": "equals", "value": "y"}))])

    assert reading.reports == []
    assert "promptfoo's own file of results; upload it beside the JUnit XML" in (
        reading.refused[0].error
    )


def deepeval_run(**cases: tuple[str, str]) -> UploadedFile:
    """Return deepeval's test run: expected and actual output by name."""
    told = [
        {"name": name, "input": "card stolen", "expectedOutput": expected, "actualOutput": actual}
        for name, (expected, actual) in cases.items()
    ]
    body = json.dumps({"testRunData": {"testCases": told}})
    return UploadedFile(".latest_test_run.json", body.encode())


METRIC = (
    '<failure message="AssertionError: Metrics: Label (score: 0.0, threshold: 0.5, strict: False, '
    'error: None, reason: no) failed."/>'
)


def test_labels_of_deepeval_are_read_out_of_its_test_run() -> None:
    report, *_ = read(
        UploadedFile("r.xml", junit([case("test_flip", METRIC), case("test_judged")])),
        deepeval_run(test_flip=("fraud", "billing"), test_judged=("refunded", "repaid")),
    ).reports

    flipped, judged = report.results
    assert flipped.tries[0].evidence.observations == (Observation("fraud", "billing"),)
    # The judge accepted another wording: a test that passed saw no flip.
    assert judged.tries[0].evidence.observations == ()
    assert judged.tries[0].evidence.output_sha256 == hashlib.sha256(b"repaid").hexdigest()
    assert report.missing_evidence == ""


def test_without_its_test_run_deepeval_s_report_says_what_is_missing() -> None:
    (report,) = read(UploadedFile("r.xml", junit([case("test_flip", METRIC)]))).reports

    assert ".deepeval/.latest_test_run.json" in report.missing_evidence


def test_labels_come_from_metadata_before_assertions() -> None:
    told = row(
        0,
        '{"label":"billing"}',
        {"type": "contains", "value": '"label":"shipping"'},
        metadata={"expected_label": "fraud"},
    )

    (report,) = read(promptfoo_xml(prompt_case("test 1", FAILED)), results_json(told)).reports

    assert report.results[0].tries[0].evidence.observations == (Observation("fraud", "billing"),)


def test_an_expected_record_is_compared_by_its_label() -> None:
    told = row(
        0,
        '{"label":"billing","note":"long"}',
        {"type": "equals", "value": {"label": "fraud", "note": "other"}},
    )
    told["provider"] = "gpt"

    (report,) = read(promptfoo_xml(prompt_case("test 1", FAILED)), results_json(told)).reports

    assert report.results[0].tries[0].evidence.observations == (Observation("fraud", "billing"),)


def test_an_error_of_the_provider_stands_where_promptfoo_says_evaluation_error() -> None:
    told = row(0, "", {"type": "contains", "value": "x"})
    del told["gradingResult"]
    told["error"] = "API error: 429 Too Many Requests"
    error = '<error message="Evaluation error">Evaluation error</error>'

    (report,) = read(promptfoo_xml(prompt_case("test 1", error)), results_json(told)).reports

    stated = read_difference(report.results[0].tries[0], frozenset())
    assert stated.difference is Difference.PROVIDER


def test_prose_is_kept_as_a_hash_and_is_no_label() -> None:
    long = "we have refunded the charge to your card " * 3

    report, *_ = read(
        UploadedFile("r.xml", junit([case("test_flip", METRIC)])),
        deepeval_run(test_flip=(long, long)),
    ).reports

    (attempt,) = report.results[0].tries
    assert attempt.evidence.observations == ()
    assert attempt.evidence.calls == 1


def test_repetitions_of_deepeval_are_told_apart() -> None:
    names = ("test_flip[1-2]", "test_flip[2-2]")
    told = deepeval_run(**{names[0]: ("fraud", "fraud"), names[1]: ("fraud", "billing")})

    (report,) = read(
        UploadedFile("r.xml", junit([case(names[0]), case(names[1], METRIC)])), told
    ).reports

    (result,) = report.results
    assert [each.evidence.observations[0].observed for each in result.tries] == ["fraud", "billing"]


def test_json_of_another_tool_is_named_as_json() -> None:
    for body in (
        b'{"results": 1}',
        b'{"testCases": [1]}',
        b'{"results": {"results": [{}]}}',
        b"{,",
    ):
        reading = read_upload([UploadedFile("r.json", body)])

        assert "this is JSON" in reading.refused[0].error
