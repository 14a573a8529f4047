"""The steps of docs/ci.md, run as CI would run them against a real server."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.client.ci_snippets import Snippet, blocks, document, snippets
from tests.client.ci_variables import GITHUB, HEAD, ON_A_PULL_REQUEST, PULL, REPO
from tests.client.github_action import use_action
from tests.client.jobs import Job
from tests.servers.embedded import Embedded, client_environment
from triage.client import ATTEMPTS_APART, SYSTEMS, __version__

# The label differs in the first pass and in no repeat.
SUITE = """
import os

def test_label(record_property):
    label = "fraud" if "TIEBREAK_REPEAT" in os.environ else "billing"
    record_property("tiebreak.expected_label", "fraud")
    record_property("tiebreak.label", label)
    assert label == "fraud"
"""
SNIPPETS = snippets()
# These hand the variables of a project to its jobs by themselves.
HANDS_VARIABLES = {"GitLab CI", "CircleCI", "Buildkite"}
SECRETS = {"${{ secrets.TIEBREAK_TOKEN }}", "$(TIEBREAK_TOKEN)", "credentials('tiebreak-token')"}
MATRIX = {"${{ strategy.job-index }}": "0", "${{ strategy.job-total }}": "1"}
# The step stands in a job that is not divided.
PARTS = {name for system in SYSTEMS for name in (system.position, system.total)}
ADDRESS = "https://tiebreak.example.com"


def run_step(job: Job, snippet: Snippet, env: dict[str, str]) -> CompletedProcess[str]:
    """Run a step as its system does."""
    for name, text in snippet.files.items():
        job.write(name, text).chmod(0o755)
    script = job.write("step.sh", snippet.script)
    return subprocess.run(
        [*snippet.shell, script],
        cwd=job.folder,
        env=job.env | env,
        capture_output=True,
        text=True,
        check=False,
    )


@dataclass(frozen=True)
class Runner:
    """A runner of CI, and the server that its jobs send to."""

    server: Embedded
    job: Job
    sha: str

    def variables_of(self, system: str) -> tuple[dict[str, str], dict[str, Any]]:
        """Return what a system tells on a pull request, and what the place is by it."""
        place = {"repo": REPO, "branch": "fix-labels", "pr": "42", "attempt": "1"}
        if system == "GitHub Actions":
            pull = PULL | {"head": PULL["head"] | {"sha": self.sha}}
            event = self.job.write("event.json", json.dumps({"pull_request": pull}))
            told = {"run_id": GITHUB["GITHUB_RUN_ID"], "attempt": "2"}
            return GITHUB | {"GITHUB_EVENT_PATH": str(event)}, place | told
        variables, differing = ON_A_PULL_REQUEST[system]
        own = {name: self.sha if value == HEAD else value for name, value in variables.items()}
        return {name: own[name] for name in own if name not in PARTS}, place | differing

    def given(self, snippet: Snippet, repo: str) -> dict[str, str]:
        """Return what address and token the job sees: by its system, or by what the step sets."""
        kept = {"TIEBREAK_URL": self.server.url, "TIEBREAK_TOKEN": self.server.tokens[repo]}
        if snippet.system in HANDS_VARIABLES:
            assert snippet.env == {}
            return kept
        assert snippet.env["TIEBREAK_URL"].strip("'") == ADDRESS
        assert snippet.env["TIEBREAK_TOKEN"] in SECRETS
        own = {name: MATRIX.get(value, "") for name, value in snippet.env.items()}
        return own | kept

    def stored(self, repo: str) -> list[dict[str, Any]]:
        """Return the runs that the server has of the commit, the first attempt first."""
        runs: list[dict[str, Any]] = self.server.read(f"runs?sha={self.sha}", repo)["runs"]
        return sorted(runs, key=lambda run: int(run["attempt"]))


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job that knows neither server nor token, and has a suite to run."""
    job = Job(tmp_path, client_environment("", ""))
    del job.env["TIEBREAK_URL"], job.env["TIEBREAK_TOKEN"]
    job.env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{job.env['PATH']}"
    job.env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    job.write("test_evals.py", SUITE)
    return job


@pytest.fixture
def runner(embedded_server: Embedded, job: Job) -> Runner:
    """The runner of the job, which is about a commit of its own."""
    return Runner(embedded_server, job, hashlib.sha1(str(job.folder).encode()).hexdigest())


def check_stored(runner: Runner, place: dict[str, Any]) -> None:
    """Check that the run stands under its place, in its first attempt and in its repeats."""
    runs = runner.stored(place["repo"])
    first = (int(place["attempt"]) - 1) * ATTEMPTS_APART + 1
    assert [run["attempt"] for run in runs] == list(range(first, first + len(runs)))
    assert [run["conclusion"] for run in runs][-1] == "passed_with_flakes"
    expected = (place["branch"], int(place["pr"]), place["run_id"], runner.sha)
    for run in runs:
        assert (run["branch"], run["pr"], run["run_id"], run["sha"]) == expected


@pytest.mark.parametrize("system", SNIPPETS)
def test_the_step_of_a_system_repeats_and_stores_the_run_under_its_place(
    runner: Runner, system: str
) -> None:
    variables, place = runner.variables_of(system)

    done = run_step(
        runner.job, SNIPPETS[system], variables | runner.given(SNIPPETS[system], place["repo"])
    )

    assert done.returncode == 0, done.stderr
    assert "tiebreak: repeat 1: 1 of the tests that differed" in done.stdout
    check_stored(runner, place)


def test_the_steps_with_the_action_do_the_same(runner: Runner) -> None:
    _, tests, action = document("GitHub Actions")["jobs"]["evals"]["steps"]
    assert action["uses"] == f"OWNER/tiebreak@v{__version__}"
    variables, place = runner.variables_of("GitHub Actions")
    runner.job.env |= variables
    secrets = {"url": runner.server.url, "token": runner.server.tokens[REPO]}
    assert (action["with"]["url"], action["with"]["token"] in SECRETS) == (ADDRESS, True)

    ran = runner.job.shell(tests["run"])
    assert action["with"]["test-outcome"] == f"${{{{ steps.{tests['id']}.outcome }}}}"
    told = {"test_outcome": "failure" if ran.returncode else "success"}
    inputs = {name.replace("-", "_"): value for name, value in action["with"].items()}
    outcome = use_action(runner.job, **inputs | told | secrets)

    assert (ran.returncode, outcome.code) == (1, 0), outcome.log
    check_stored(runner, place)


# Of all shells the one that ends at every failure, and the one that ends at none.
@pytest.mark.parametrize("system", ["Jenkins", "Azure Pipelines"])
def test_where_the_server_cannot_be_reached_the_tests_decide(
    job: Job, dead_port: int, system: str
) -> None:
    env = {"TIEBREAK_URL": f"http://127.0.0.1:{dead_port}", "TIEBREAK_TOKEN": "tbk_any"}

    failed = run_step(job, SNIPPETS[system], env)
    passed = run_step(job, SNIPPETS[system], env | {"TIEBREAK_REPEAT": "1"})

    assert (failed.returncode, passed.returncode) == (1, 0)


def test_elsewhere_the_lines_tell_what_ci_does_not(runner: Runner) -> None:
    (script,) = blocks("Elsewhere")
    told = {"REPO": REPO, "BRANCH": "fix-labels", "PR": "42", "BUILD": "b7", "TRY": "3"}
    snippet = Snippet("", ("sh", "-e"), script)
    secrets = {"TIEBREAK_URL": runner.server.url, "TIEBREAK_TOKEN": runner.server.tokens[REPO]}
    commit = "git init -q && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty"
    runner.job.shell(f"{commit} --no-gpg-sign -m {runner.sha}")
    head = runner.job.shell("git rev-parse HEAD").stdout.strip()

    done = run_step(runner.job, snippet, told | secrets)

    assert done.returncode == 0, done.stderr
    place = {"repo": REPO, "branch": "fix-labels", "pr": "42", "run_id": "b7", "attempt": "3"}
    check_stored(Runner(runner.server, runner.job, head), place)


def test_the_legs_of_a_divided_job_end_with_the_verdict_of_all(runner: Runner) -> None:
    variables, place = runner.variables_of("GitLab CI")
    snippet = SNIPPETS["GitLab CI"]
    leg = replace(snippet, script=snippet.script.replace("second-pass", "second-pass --no-gate"))
    (finish,) = blocks("Several jobs")
    env = variables | runner.given(snippet, place["repo"])

    for index in ("1", "2"):
        ran = run_step(runner.job, leg, env | {"CI_NODE_INDEX": index, "CI_NODE_TOTAL": "2"})
        assert ran.returncode == 0, ran.stderr
    done = run_step(runner.job, replace(snippet, script=finish), env | {"CI_JOB_NAME": "verdict"})

    assert done.returncode == 0, done.stderr
    assert runner.stored(place["repo"])[-1]["conclusion"] == "passed_with_flakes"


def test_every_system_has_a_step_and_all_of_them_the_same_lines() -> None:
    assert set(SNIPPETS) == {"GitHub Actions", *HANDS_VARIABLES, "Jenkins", "Azure Pipelines"}
    scripts = ["".join([each.script, *each.files.values()]) for each in SNIPPETS.values()]
    lines = {" ".join(script[script.index("code=0") :].split()) for script in scripts}
    assert len({each.replace("--annotate ", "") for each in lines}) == 1
