"""A second pass as CI makes it: pytest and the client as commands, and a model that wavers."""

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.jobs import Job, make_job
from tests.flows import evals
from tests.servers.embedded import Embedded
from tests.servers.language_model import Answers, LanguageModel, answering

# A repository of its own, since what other tests send would be its history.
REPO = "acme/evals"
RUNS = 14
PROMPT = "You sort tickets and write replies."
STRANGER, UNKNOWN_CHARGE, *_ = evals.TICKETS
REFUNDED, *_ = evals.REPLIES
STEADY = {user: Answers(answer) for user, answer in (evals.TICKETS | evals.REPLIES).items()}
USUAL = STEADY | {
    UNKNOWN_CHARGE: Answers("fraud", "billing", 0.0),
    REFUNDED: Answers("I have refunded it.", "I refunded it.", 0.075),
}
MOVED = USUAL | {STRANGER: Answers("billing", "fraud", 0.2)}
# With this one both of them differ in the run behind the history.
SEED = 1370
FLIP, NEAR_TIE = "test_evals::test_label[0]", "test_evals::test_label[1]"
WORDING = "test_evals::test_reply[0]"
# One process for all runs of the history, since starting pytest is most of a run.
MANY_RUNS = f"""
import pytest
for number in range({RUNS}):
    pytest.main(["-q", "--tb=no", f"--junitxml=main-{{number}}.xml"])
"""
FIRST_PASS = "pytest --tb=no --junitxml=junit.xml"
GATE = "python3 tiebreak.py upload junit.xml --gate --test-exit-code 1 --verdict verdict.json"
SECOND_PASS = """
    python3 tiebreak.py second-pass junit.xml --test-exit-code 1 --verdict verdict.json -- \
        pytest --tb=no {tests} --junitxml={report}
"""


@pytest.fixture
def model() -> LanguageModel:
    """A model of which one label is a near tie and one wording differs now and then."""
    return LanguageModel(SEED, {PROMPT: USUAL})


@pytest.fixture
def job(embedded_server: Embedded, model: LanguageModel, tmp_path: Path) -> Iterator[Job]:
    """A job in the checkout of a suite whose tests ask the model."""
    with answering(model) as address:
        told = {"TIEBREAK_REPO": REPO, "LLM_URL": address, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        job = make_job(tmp_path, embedded_server.url, embedded_server.tokens[REPO], **told)
        job.env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{job.env['PATH']}"
        shutil.copy(evals.__file__, tmp_path / "test_evals.py")
        job.write("conftest.py", 'pytest_plugins = ["tiebreak"]\n')
        job.write("prompt.txt", PROMPT)
        yield job


def check_out(job: Job, name: str, branch: str, pr: str = "") -> None:
    """Let the job be a run of CI on a commit of its own."""
    told = {"SHA": hashlib.sha1(name.encode()).hexdigest(), "RUN_ID": name}
    told |= {"BRANCH": branch, "PR": pr}
    job.env |= {f"TIEBREAK_{field}": value for field, value in told.items()}


def make_history(job: Job) -> None:
    """Run the suite on the default branch, again and again."""
    job.write("many_runs.py", MANY_RUNS)
    ran = job.shell("python3 many_runs.py")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for number in range(RUNS):
        check_out(job, f"main-{number}", "main")
        sent = job.run("upload", f"main-{number}.xml")
        assert (sent.returncode, sent.stderr) == (0, "")


def charged(server: Embedded) -> list[tuple[str, str]]:
    """Return the case and the kind of difference of everything that any budget paid."""
    charges = server.read("budgets/charges?size=200", REPO)["charges"]
    return [(each["case"], each["difference"]) for each in charges]


def findings(job: Job) -> dict[str, str]:
    """Return what was found of each case."""
    return {each["case"]: each["finding"] for each in job.verdict()["findings"]}


def test_a_flake_is_settled_and_a_flip_is_blocked(
    embedded_server: Embedded, job: Job, model: LanguageModel
) -> None:
    make_history(job)

    # A pull request that changes nothing: two tests differ, and one of them by its label.
    check_out(job, "harmless", "harmless", pr="1")
    assert "2 failed, 6 passed" in job.shell(FIRST_PASS).stdout
    assert job.shell(GATE).returncode == 3
    settled = job.shell(SECOND_PASS)
    assert (settled.returncode, settled.stderr) == (0, "")
    assert settled.stdout.count("tiebreak: repeat ") == 3
    assert job.verdict()["conclusion"] == "passed_with_flakes"
    assert findings(job) == {NEAR_TIE: "settled_tie", WORDING: "expected_flake"}
    assert charged(embedded_server) == [(WORDING, "text")]

    # The model moves and says nothing of it: one label differs, and its repeats differ as well.
    model.answers = {PROMPT: MOVED}
    check_out(job, "moved", "moved", pr="2")
    assert "1 failed, 7 passed" in job.shell(FIRST_PASS).stdout
    assert job.shell(GATE).returncode == 3
    blocked = job.shell(SECOND_PASS)
    assert (blocked.returncode, blocked.stderr) == (1, "")
    assert job.verdict()["conclusion"] == "blocked"
    assert findings(job) == {FLIP: "label_regression"}
    assert charged(embedded_server) == [(WORDING, "text")]

    # Running the job again does not help.
    job.shell(FIRST_PASS)
    assert job.shell(GATE, TIEBREAK_ATTEMPT="2").returncode == 1
    assert charged(embedded_server) == [(WORDING, "text")]
