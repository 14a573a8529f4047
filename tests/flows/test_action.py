"""The action in jobs of GitHub, against a real server."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.client.ci_variables import GITHUB, PULL, REPO
from tests.client.github_action import Outcome, use_action
from tests.client.jobs import FAILING, PASSING, Job, make_job
from tests.servers.embedded import Embedded

# What a runner of pytest would do: it writes a report in which the test passes.
REPEAT = f"""
import os, sys
*tests, report = sys.argv[1:]
assert tests == ["evals.py::test_a"], tests
open(report, "w").write('''{PASSING}''')
"""


@pytest.fixture
def job(embedded_server: Embedded, tmp_path: Path) -> Job:
    """A job on a pull request whose head is a commit of its own."""
    job = make_job(tmp_path, embedded_server.url)
    for name in ("TIEBREAK_REPO", "TIEBREAK_SHA", "TIEBREAK_RUN_ID"):
        del job.env[name]
    head = hashlib.sha1(str(tmp_path).encode()).hexdigest()
    pull = PULL | {"head": PULL["head"] | {"sha": head}}
    event = job.write("event.json", json.dumps({"pull_request": pull}))
    job.env |= GITHUB | {"GITHUB_EVENT_PATH": str(event), "HEAD_SHA": head}
    return job


@dataclass(frozen=True)
class Use:
    """The action as the job's workflow uses it."""

    server: Embedded
    job: Job

    def __call__(self, *, index: int = 0, total: int = 1, **inputs: str) -> Outcome:
        """Use it with what every job gives, and with some inputs."""
        given = {"url": self.server.url, "token": self.server.tokens[REPO]}
        return use_action(self.job, index=index, total=total, **given | inputs)

    def stored(self, outcome: Outcome) -> dict[str, Any]:
        """Return the run that the server keeps under the address in the outputs."""
        number = outcome.outputs["url"].rstrip("/").rsplit("/", 1)[1]
        return self.server.read(f"runs/{number}", REPO)


@pytest.fixture
def use(embedded_server: Embedded, job: Job) -> Use:
    """The action in the job."""
    return Use(embedded_server, job)


def test_a_report_is_judged_and_later_steps_read_the_verdict(use: Use) -> None:
    use.job.write("junit.xml", PASSING)

    outcome = use()

    assert (outcome.code, outcome.outputs["verdict"]) == (0, "passed")
    assert outcome.outputs["exit-code"] == "0"
    assert outcome.outputs["url"] in outcome.summary
    run = use.stored(outcome)
    assert run["url"] == outcome.outputs["url"]
    assert (run["repo"], run["branch"], run["pr"]) == (REPO, "fix-labels", 42)
    assert (run["run_id"], run["attempt"]) == (GITHUB["GITHUB_RUN_ID"], 101)
    assert run["sha"] == use.job.env["HEAD_SHA"]


def test_what_is_on_hold_fails_the_step_and_stands_on_the_jobs_page(use: Use) -> None:
    use.job.write("junit.xml", FAILING)

    outcome = use(test_outcome="failure")

    assert (outcome.code, outcome.outputs["verdict"]) == (3, "on_hold")
    assert "::warning title=near tie%3A evals%3A%3Atest_a" in outcome.log
    assert "fraud → billing" in outcome.summary


def test_without_a_gate_the_step_passes_and_tells_the_verdict(use: Use) -> None:
    use.job.write("junit.xml", FAILING)

    outcome = use(gate="false")

    assert (outcome.code, outcome.outputs["verdict"]) == (0, "on_hold")


@pytest.mark.parametrize("gate", ["true", "false"])
def test_what_is_undecided_is_repeated_in_the_folder_of_the_tests(use: Use, gate: str) -> None:
    use.job.write("evals/junit.xml", FAILING)
    use.job.write("evals/evals.py", "")
    use.job.write("evals/repeat it.py", REPEAT)

    outcome = use(
        second_pass="python3 'repeat it.py' {tests} {report}", gate=gate, working_directory="evals"
    )

    assert "tiebreak: repeat 1: 1 of the tests that differed" in outcome.log
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "passed_with_flakes")
    assert use.stored(outcome)["attempt"] > 101


def test_the_legs_of_a_matrix_are_parts_of_a_run_that_the_last_job_finishes(use: Use) -> None:
    use.job.env["GITHUB_RUN_ID"] += "1"
    for index, name in enumerate(("test_a", "test_b")):
        use.job.write("junit.xml", PASSING.replace("test_a", name))
        leg = use(index=index, total=3, gate="false")
        assert use.stored(leg)["parts"] == {"got": index + 1, "expected": 3}

    use.job.env["GITHUB_JOB"] = "verdict"
    outcome = use(finish="true")

    run = use.stored(outcome)
    assert (run["completeness"]["closed_by"], run["counts"]["passed"]) == ("told", 2)
    assert outcome.code == 0


def test_several_files_are_named_one_per_line(use: Use) -> None:
    use.job.write("reports/a b.xml", PASSING)
    use.job.write("more.xml", PASSING.replace("test_a", "test_b"))

    run = use.stored(use(files="reports/a b.xml\n\nmore.xml\n"))

    assert run["counts"]["passed"] == 2


def test_nothing_in_an_input_is_run(use: Use) -> None:
    use.job.write("junit.xml", PASSING)
    code = "$(touch ran) `touch ran`; touch ran"

    for name in ("files", "second_pass", "test_outcome", "gate", "wait", "strict", "finish"):
        assert use(**{name: code}).code == 2
    assert not (use.job.folder / "ran").exists()


def test_an_input_that_is_neither_true_nor_false_is_named(use: Use) -> None:
    outcome = use(gate="yes")

    assert outcome.code == 2
    assert outcome.log == "::error title=Tiebreak::gate must be true or false, got 'yes'\n"


def test_a_pull_request_of_a_fork_has_no_token_and_passes_with_a_warning(use: Use) -> None:
    use.job.write("junit.xml", PASSING)
    event = json.loads((use.job.folder / "event.json").read_text())
    event["pull_request"]["head"]["repo"]["full_name"] = "stranger/support-bot"
    use.job.write("event.json", json.dumps(event))

    outcome = use(token="")

    assert (outcome.code, outcome.outputs["verdict"]) == (0, "")
    assert "::warning title=Tiebreak gave no verdict::" in outcome.log
