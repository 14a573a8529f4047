"""Cases, attempts and evidence out of one document."""

import pytest

from tests.parse.reports import case, junit, only_result, prop, props, read
from triage.terms import Merge, Outcome


def test_a_suite_s_properties_are_the_default_of_its_cases_wherever_they_stand() -> None:
    suite = f"<properties>{prop('gen_ai.response.model', 'm-1')}</properties>"
    own = f"<properties>{prop('gen_ai.response.model', 'm-2')}</properties>"
    body = (
        f'<testsuite name="s">{case("a", props(label="x", expected_label="x"))}'
        f"{case('b', own)}{suite}</testsuite>"
    )

    first, second = read(body.encode()).results

    assert first.tries[0].evidence.model_answered == "m-1"
    assert second.tries[0].evidence.model_answered == "m-2"


def test_surefire_s_flaky_failures_are_attempts_of_a_case_that_passed() -> None:
    inner = '<flakyFailure message="m"><stackTrace>boom</stackTrace></flakyFailure>' * 2

    result = only_result(junit([case(inner=inner)], "s"))

    assert result.outcome is Outcome.PASSED
    assert result.passed_after_retry
    assert [each.outcome for each in result.tries] == ["failed", "failed", "passed"]
    assert result.tries[0].failures[0].text == "boom"


def test_surefire_s_rerun_failures_are_attempts_of_a_case_that_failed() -> None:
    inner = '<failure message="1"/><rerunFailure message="2"/><rerunError message="3"/>'

    result = only_result(junit([case(inner=inner)], "s"))

    assert result.outcome is Outcome.FAILED
    assert [each.outcome for each in result.tries] == ["failed", "failed", "errored"]


def test_pytest_rerunfailures_blank_entries_are_failed_attempts() -> None:
    result = only_result(junit([case(), case(), case(inner="<failure>x</failure>")]))

    assert result.merge is Merge.RETRY
    assert [each.outcome for each in result.tries] == ["failed", "failed", "failed"]


def test_a_teardown_error_of_pytest_is_a_phase_and_no_retry() -> None:
    failure = "<failure message='assert 0'/>"
    teardown = '<error message="failed on teardown with x"/>'

    report = read(junit([case(inner=failure), case(inner=teardown)]))

    (result,) = report.results
    assert (result.merge, result.outcome) == (Merge.PHASES, Outcome.FAILED)
    assert report.totals.attempts == 1


def test_repetitions_with_their_number_in_the_name_are_samples_of_one_case() -> None:
    names = ("t[1-3]", "t[2-3]", "t[3-3]", "u[a-1-2]", "u[a-2-2]")
    failing = "<failure>x</failure>"

    first, second = read(
        junit([case(name, failing if name == "t[2-3]" else "") for name in names])
    ).results

    assert (first.case.name, first.merge, first.outcome) == ("t", Merge.REPETITION, "failed")
    assert [each.outcome for each in first.tries] == ["passed", "failed", "passed"]
    assert (second.case.name, len(second.tries)) == ("u[a]", 2)


def test_numbers_in_a_name_are_parameters_unless_all_repetitions_are_there() -> None:
    results = read(junit([case("t[1-3]"), case("t[3-3]")])).results

    assert [each.case.name for each in results] == ["t[1-3]", "t[3-3]"]


def test_go_runs_each_test_equally_often_with_count_and_the_failed_ones_with_rerun() -> None:
    go = f"<properties>{prop('go.version', 'go1.22')}</properties>"
    failing = "<failure>x</failure>"
    counted = junit([go, case("A"), case("A", failing), case("B"), case("B")], "pkg")
    rerun = junit([go, case("A", failing), case("A"), case("B")], "pkg")

    assert [each.merge for each in read(counted).results] == ["repetition", "repetition"]
    assert [each.passed_after_retry for each in read(rerun).results] == [True, False]


def test_rows_that_share_a_name_are_never_flaky() -> None:
    report = read(junit([case(), case(inner="<failure>x</failure>"), case()], "rspec"))

    assert report.totals.flaky_passed == 0
    assert [each.merge for each in report.results] == ["rows", "rows", "rows"]


def test_a_runner_that_did_not_run_a_case_skipped_it() -> None:
    assert only_result(junit([case(status="notrun")], "s")).outcome is Outcome.SKIPPED


def test_a_suite_that_failed_without_a_case_fails_the_run() -> None:
    body = b'<testsuite name="Lost"><error message="ClassNotFound">x</error></testsuite>'

    (result,) = read(body).results

    assert (result.case.name, result.outcome) == ("Lost (suite)", Outcome.ERRORED)


def test_tools_whose_retries_leave_no_trace_are_known() -> None:
    suite = '<testsuite name="s"><testcase name="t"/></testsuite>'
    jest = f'<testsuites name="jest tests">{suite}</testsuites>'.encode()

    assert read(jest).hides_retries
    assert not read(junit([case()])).hides_retries


@pytest.mark.parametrize(
    ("dialect", "attributes"),
    [
        ("vitest", "name timestamp hostname tests failures errors skipped time"),
        ("jest-junit", "name errors failures skipped timestamp time tests"),
        ("mocha", "name timestamp tests file time failures"),
        ("pytest", "name errors failures skipped tests time timestamp hostname"),
    ],
)
def test_a_reporter_is_known_whatever_its_suite_is_called(dialect: str, attributes: str) -> None:
    told = " ".join(f'{name}="0"' for name in attributes.split())
    body = f'<testsuites name="mine"><testsuite {told}>{case()}</testsuite></testsuites>'

    assert read(body.encode()).dialect == dialect


def test_an_illegal_property_is_left_out_and_named_with_its_value() -> None:
    inner = props(label="a", expected_label="a", confidence="1.5", margin="nan", calls="0")

    report = read(junit([case("t", inner)]))

    assert [warning.message for warning in report.warnings] == [
        "t: tiebreak.confidence must lie in [0, 1], got '1.5'",
        "t: tiebreak.margin must be a number of nats from 0, got 'nan'",
        "t: tiebreak.calls must be a whole number from 0, got '0'",
    ]
    (observation,) = report.results[0].tries[0].evidence.observations
    assert (observation.confidence, observation.margin) == (None, None)


def test_the_same_names_in_another_suite_are_another_shard_and_no_retry() -> None:
    failing = case(inner="<failure>x</failure>")
    suites = "".join(f'<testsuite name="pytest">{each}</testsuite>' for each in (failing, case()))

    report = read(f"<testsuites>{suites}</testsuites>".encode())

    assert report.totals.flaky_passed == 0
    assert [each.outcome for each in report.results] == ["failed", "passed"]


def test_problems_that_only_a_counter_tells_of_fail_the_run() -> None:
    newman = (
        '<testsuites name="collection"><testsuite name="down" tests="1" errors="2">'
        '<testcase name="t"/></testsuite></testsuites>'
    )

    report = read(newman.encode())

    assert [(each.case.name, each.outcome) for each in report.results] == [
        ("t", "passed"),
        ("down (suite)", "errored"),
    ]
    assert report.totals.tests == 1
    assert report.warnings[0].message == "down (suite): 2 problems without details"


def test_a_go_package_that_does_not_compile_fails_the_run() -> None:
    suite = (
        f'<testsuite name="pkg"><properties>{prop("go.version", "go1.22")}</properties>'
        '<testcase classname="pkg" name="TestA"/></testsuite>'
    )

    report = read(f'<testsuites tests="1" errors="1">{suite}</testsuites>'.encode())

    assert report.results[-1].outcome is Outcome.ERRORED


def test_a_test_that_ctest_could_not_start_fails_the_run() -> None:
    skipped = '<skipped message="Unable to find executable: gone"/>'
    body = (
        '<testsuite name="ctest"><testcase name="t" classname="t" status="notrun">'
        f"{skipped}</testcase></testsuite>"
    )

    report = read(body.encode())

    assert (report.totals.skipped, report.totals.errored) == (1, 0)
    assert (report.results[-1].case.name, report.results[-1].outcome) == (
        "t (not started)",
        "errored",
    )


def test_thousands_of_rows_under_one_name_are_one_test() -> None:
    report = read(junit([case()] * 1_500, "s"))

    assert (report.totals.tests, report.totals.attempts) == (1, 1_500)


def test_long_names_are_cut_and_stay_apart() -> None:
    long = "n" * 5_000

    first, second = read(junit([case(f"{long}a"), case(f"{long}b")])).results

    assert first.case.name != second.case.name
    assert {len(first.case.name), len(second.case.name)} == {1_000}


def test_elements_that_no_dialect_knows_are_counted() -> None:
    report = read(junit([case(inner="<metric/>"), case("u", inner="<metric/>")], "s"))

    assert report.warnings[0].message == "elements that were ignored: 2 (<metric>)"


def test_output_of_a_retry_is_no_part_of_its_failure() -> None:
    inner = "<flakyFailure>boom<system-out>printed</system-out> again</flakyFailure>"

    result = only_result(junit([case(inner=inner)], "s"))

    assert result.tries[0].failures[0].text == "boom again"


def test_a_comma_that_could_mean_two_things_is_named() -> None:
    report = read(junit([case(time="1,234")], "s"))

    assert report.results[0].duration_s == 1234.0
    assert report.warnings[0].message == "time '1,234' was taken for thousands of seconds"


def test_a_case_that_is_skipped_and_failed_did_fail_unless_the_tool_means_otherwise() -> None:
    both = case(inner="<skipped/><failure>x</failure>")
    mayfail = case(inner='<skipped message="TEST_CASE tagged with !mayfail"/><failure>x</failure>')

    report = read(junit([both], "s"))

    assert report.results[0].outcome is Outcome.FAILED
    assert report.warnings[0].message == "cases that are skipped and failed, read as failed: 1"
    assert only_result(junit([mayfail], "s")).outcome is Outcome.SKIPPED
    assert only_result(junit([both], "Minitest")).outcome is Outcome.SKIPPED


def test_a_status_that_says_failed_is_believed_without_an_element() -> None:
    statuses = ("failed", "error", "run")

    results = read(junit([case(status, status=status) for status in statuses], "s")).results

    assert [each.outcome for each in results] == ["failed", "errored", "passed"]
