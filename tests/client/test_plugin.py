"""The fixture ``llm`` in real runs of pytest: what the report says, and what it never says."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.shapes import FRAUD_CHAT
from triage import client
from triage.parse.report import Observation, Report
from triage.parse.upload import UploadedFile, read_upload

START = f"""
import enum, json, os
import pytest
CHAT = json.loads({json.dumps(json.dumps(FRAUD_CHAT))})
REQUEST = dict(model="gpt-4.1-mini", temperature=0, seed=7,
               messages=[dict(role="user", content="a secret prompt")])
class Label(enum.Enum):
    FRAUD = "fraud"
    BILLING = "billing"
"""


def run_pytest(folder: Path, tests: str, *options: str) -> Report:
    """Run tests with the plugin in a folder of its own; return the report as the server reads."""
    shutil.copy(client.__file__, folder / "tiebreak.py")
    (folder / "test_labels.py").write_text(START + tests)
    (folder / "conftest.py").touch()
    command = [sys.executable, "-W", "error", "-m", "pytest", "-p", "tiebreak", "-p", "no:randomly"]
    options = ("-p", "no:cacheprovider", "--junitxml=junit.xml", *options)
    env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    done = subprocess.run(
        [*command, *options], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert (folder / "junit.xml").exists(), done.stdout + done.stderr
    report = (folder / "junit.xml").read_bytes()
    assert b"secret" not in report, "the prompt or the answer stands in the report"
    (read,) = read_upload([UploadedFile("junit.xml", report)]).reports
    assert all("read as retry" in warning.message for warning in read.warnings)
    return read


def test_a_call_is_told_with_its_label_and_how_sure_the_model_was(tmp_path: Path) -> None:
    report = run_pytest(
        tmp_path,
        """
def test_label(llm):
    response = llm.record(CHAT, expected=Label.FRAUD, label="fraud", request=REQUEST,
                          labels=["fraud", "billing"], assertion="parsed")
    assert response is CHAT
""",
    )

    (result,) = report.results
    evidence = result.tries[0].evidence
    (seen,) = evidence.observations
    assert (seen.expected, seen.observed) == ("fraud", "fraud")
    assert seen.confidence == pytest.approx(0.4966, abs=1e-4)
    assert seen.margin == pytest.approx(0.3)
    assert (evidence.model_requested, evidence.model_answered) == (
        "gpt-4.1-mini",
        "gpt-4.1-mini-2025-04-14",
    )
    assert (evidence.seed, evidence.temperature) == (7, 0.0)
    assert (evidence.cached_tokens, evidence.input_tokens) == (1920, 2006)
    assert evidence.accepted_prediction_tokens == 3
    assert evidence.system_fingerprint == "fp_b376dfbbd5"
    assert evidence.response_id == FRAUD_CHAT["id"]
    assert evidence.labels == ("fraud", "billing")
    assert len(evidence.prompt_sha256 or "") == len(evidence.output_sha256 or "") == 64
    assert evidence.assertion == "parsed"


def test_several_calls_are_told_as_observations(tmp_path: Path) -> None:
    report = run_pytest(
        tmp_path,
        """
def test_labels(llm):
    llm.record(CHAT, expected="fraud", label="billing", confidence=0.6, margin=0.5)
    llm.record("billing", expected="billing", label=Label.BILLING)
    llm.record("a summary of nothing")
""",
    )

    evidence = report.results[0].tries[0].evidence
    assert evidence.observations == (
        Observation("fraud", "billing", 0.6, 0.5, FRAUD_CHAT["id"]),
        Observation("billing", "billing", None, None, None),
    )
    assert evidence.calls == 3


def test_what_was_recorded_before_a_test_broke_off_is_told(tmp_path: Path) -> None:
    report = run_pytest(
        tmp_path,
        """
def test_label(llm):
    llm.record("billing", expected="fraud", label="billing")
    raise RuntimeError("the rest is lost")
""",
    )

    (result,) = report.results
    assert result.outcome.is_failing
    assert result.tries[0].evidence.observations == (Observation("fraud", "billing"),)


RERUN = """
TRIES = []
def test_label(llm):
    TRIES.append(1)
    label = "billing" if len(TRIES) < 3 else "fraud"
    llm.record(label, expected="fraud", label=label)
    assert label == "fraud"
"""


@pytest.mark.parametrize("options", [(), ("-n", "1")])
def test_every_attempt_of_a_rerun_tells_its_own_calls_only(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    report = run_pytest(tmp_path, RERUN, "--reruns", "3", *options)

    (result,) = report.results
    seen = [[each.observed for each in attempt.evidence.observations] for attempt in result.tries]
    assert seen == [["billing"], ["billing"], ["fraud"]]


def test_processes_of_xdist_tell_what_each_test_recorded(tmp_path: Path) -> None:
    report = run_pytest(
        tmp_path,
        """
@pytest.mark.parametrize("number", range(6))
def test_label(llm, number):
    llm.record(str(number), expected=str(number), label=str(number))
""",
        *("-n", "2"),
    )

    seen = {
        result.case.name: result.tries[0].evidence.observations[0].observed
        for result in report.results
    }
    assert seen == {f"test_label[{number}]": str(number) for number in range(6)}


def test_neither_prompt_nor_answer_is_ever_in_the_report(tmp_path: Path) -> None:
    """``run_pytest`` looks for the word in the whole report."""
    report = run_pytest(
        tmp_path,
        """
def test_hashes(llm):
    llm.record("the secret answer", prompt="the secret prompt", label="fraud", expected="fraud")
""",
    )

    evidence = report.results[0].tries[0].evidence
    assert evidence.output_sha256 == client.sha256("the secret answer")
    assert evidence.prompt_sha256 == client.sha256("the secret prompt")


def test_the_prompts_hash_changes_with_any_of_it(tmp_path: Path) -> None:
    report = run_pytest(
        tmp_path,
        """
@pytest.mark.parametrize("changed", [{}, {}, {"temperature": 1}, {"system": "be brief"}])
def test_hashes(llm, changed):
    llm.record("x", request={**REQUEST, **changed})
""",
    )

    same, again, warmer, briefer = (
        result.tries[0].evidence.prompt_sha256 for result in report.results
    )
    assert same == again == warmer
    assert briefer != same


def test_what_is_not_legal_fails_the_test_that_said_it(tmp_path: Path) -> None:
    report = run_pytest(
        tmp_path,
        """
def test_confidence(llm):
    with pytest.raises(ValueError, match=r"confidence must lie in \\[0, 1\\], got 1.5"):
        llm.record("x", confidence=1.5)
    with pytest.raises(ValueError, match="margin must lie at 0 or above, got -1"):
        llm.record("x", margin=-1)
    with pytest.raises(TypeError, match="got int"):
        llm.record(42)
""",
    )

    assert report.totals.passed == 1


def test_a_test_keeps_the_properties_that_it_recorded_itself(tmp_path: Path) -> None:
    run_pytest(
        tmp_path,
        """
def test_label(llm, record_property):
    record_property("ticket", "T-1")
    llm.record("x", expected="a", label="a")
    llm.record("x", expected="b", label="b")
""",
        *("-o", "junit_family=xunit1"),
    )

    assert (tmp_path / "junit.xml").read_text().count('name="ticket"') == 1


@pytest.mark.parametrize(
    ("label", "text"), [(True, "true"), ("Fraud", "Fraud"), (3, "3")], ids=["bool", "str", "int"]
)
def test_labels_are_told_as_text(label: object, text: str) -> None:
    properties: list[tuple[str, object]] = []

    client.Recorder(properties).record("x", expected=label, label=label)

    assert ("tiebreak.label", text) in properties
