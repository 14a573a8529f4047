"""The client against a real server: what arrives, and the exit code that comes back."""

import hashlib
from pathlib import Path

import pytest

from tests.client.jobs import FAILING, PASSING, SHA, Job, make_job
from tests.servers.embedded import Embedded

EMPTY = '<testsuite name="s" tests="0"/>'


@pytest.fixture
def job(embedded_server: Embedded, tmp_path: Path) -> Job:
    """A job on a commit of its own."""
    sha = hashlib.sha1(str(tmp_path).encode()).hexdigest()
    token = embedded_server.tokens["acme/support-bot"]
    return make_job(tmp_path, embedded_server.url, token, TIEBREAK_SHA=sha)


def test_a_report_arrives_with_the_place_that_it_comes_from(job: Job) -> None:
    job.write("junit.xml", PASSING)

    done = job.run(
        *("upload", "junit.xml", "--gate", "--verdict", "verdict.json"),
        *("--branch", "fix", "--pr", "7", "--run-id", "r7", "--part", "1/2", "--job", "evals"),
    )

    verdict = job.verdict()
    assert (done.returncode, done.stderr) == (0, "")
    assert (verdict["sha"], verdict["repo"]) == (job.env["TIEBREAK_SHA"], "acme/support-bot")
    assert (verdict["branch"], verdict["pr"], verdict["run_id"]) == ("fix", 7, "r7")
    assert (verdict["attempt"], verdict["parts"]) == (1, {"got": 1, "expected": 2})
    assert verdict["url"] in done.stdout


def test_a_gate_exits_with_the_verdicts_code_and_an_upload_with_0(job: Job) -> None:
    job.write("junit.xml", FAILING)

    gated, stored = job.run("upload", "junit.xml", "--gate"), job.run("upload", "junit.xml")

    assert (gated.returncode, stored.returncode) == (3, 0)
    assert "NEAR_TIE  evals::test_a" in gated.stdout
    assert gated.stdout == stored.stdout


def test_a_runner_that_failed_without_a_failure_in_its_report_is_a_failure(job: Job) -> None:
    job.write("junit.xml", PASSING)

    for code in ("1", "failure", "-9"):
        done = job.run("upload", "junit.xml", "--gate", f"--test-exit-code={code}")
        assert done.returncode == 1
        assert "its report shows no failure" in done.stderr
    assert job.run("upload", "junit.xml", "--gate", "--test-exit-code", "success").returncode == 0


def test_a_runner_that_failed_with_a_failure_in_its_report_is_judged(job: Job) -> None:
    job.write("junit.xml", FAILING)

    done = job.run("upload", "junit.xml", "--gate", "--test-exit-code", "1")

    assert (done.returncode, done.stderr) == (3, "")


def test_an_empty_report_is_no_pass(job: Job) -> None:
    job.write("junit.xml", EMPTY)

    assert job.run("upload", "junit.xml", "--gate").returncode == 3


def test_finish_closes_a_run_of_which_a_part_is_missing(job: Job) -> None:
    job.write("junit.xml", PASSING)
    job.run("upload", "junit.xml", "--part", "1/2")

    done = job.run("finish", "--gate", "--verdict", "verdict.json")

    assert done.returncode == 0
    assert job.verdict()["completeness"]["state"] == "missing"
    assert job.verdict()["completeness"]["closed_by"] == "told"


def test_finish_closes_a_run_behind_the_repeats_of_its_second_pass(job: Job) -> None:
    job.write("junit.xml", PASSING)
    for attempt in ("1", "2"):
        job.run("upload", "junit.xml", "--part", "1/2", "--attempt", attempt)

    job.run("finish", "--verdict", "verdict.json")

    assert job.verdict()["attempt"] == 101
    assert job.verdict()["completeness"]["state"] == "missing"


def test_a_matrix_reports_as_parts_of_one_run(job: Job) -> None:
    job.env |= {"GITHUB_ACTIONS": "true", "GITHUB_JOB": "evals", "TIEBREAK_JOB_TOTAL": "2"}
    reports = [PASSING, PASSING.replace("test_a", "test_b")]

    for index, report in enumerate(reports):
        job.write("junit.xml", report)
        job.run("upload", "junit.xml", "--verdict", "verdict.json", TIEBREAK_JOB_INDEX=str(index))

    assert job.verdict()["parts"] == {"got": 2, "expected": 2}
    assert job.verdict()["counts"]["passed"] == 2


def test_later_steps_of_github_read_what_came_out(job: Job) -> None:
    job.write("junit.xml", FAILING)

    job.run("upload", "junit.xml", "--gate", GITHUB_OUTPUT="outputs")

    lines = (job.folder / "outputs").read_text().splitlines()
    assert lines[:2] == ["verdict=on_hold", "exit-code=3"]
    assert lines[2].startswith("url=http://127.0.0.1:")


def test_annotate_reads_a_run_from_the_server(job: Job) -> None:
    job.write("junit.xml", FAILING)
    job.run("upload", "junit.xml", "--verdict", "verdict.json")

    done = job.run("annotate", str(job.verdict()["id"]), GITHUB_STEP_SUMMARY="summary.md")

    assert done.stdout.startswith("::warning title=near tie%3A evals%3A%3Atest_a::")
    assert "evals" in (job.folder / "summary.md").read_text()


def test_a_token_of_another_repository_is_refused(embedded_server: Embedded, job: Job) -> None:
    job.write("junit.xml", PASSING)

    done = job.run("upload", "junit.xml", TIEBREAK_TOKEN=embedded_server.tokens["acme/other"])

    assert done.returncode == 2
    assert "the token is for acme/other, not for acme/support-bot" in done.stderr


def test_the_served_file_is_the_client(embedded_server: Embedded, job: Job) -> None:
    curl = f"""
        curl -fsSO {embedded_server.url}/tiebreak.py
        curl -fsS {embedded_server.url}/tiebreak.py.sha256 | sha256sum --check
    """
    job.write("tiebreak.py", "not yet")
    job.write("fetch.sh", curl)

    done = job.shell("sh -e fetch.sh")

    assert (done.returncode, done.stdout) == (0, "tiebreak.py: OK\n")
    assert job.run("--version").stdout.startswith("tiebreak.py ")


def test_a_commit_in_upper_case_is_the_same_commit(job: Job) -> None:
    job.write("junit.xml", PASSING)

    job.run("upload", "junit.xml", "--sha", SHA.upper(), "--verdict", "verdict.json")

    assert job.verdict()["sha"] == SHA
