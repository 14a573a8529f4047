"""Proposed changes of a policy: a diff that keeps what people wrote."""

import subprocess
from pathlib import Path

from triage.policy.proposals import propose_rename, propose_tie_break
from triage.policy.reading import read_policy

POLICY = """\
# What the refund desk agreed on.
version: 1
labels:
  - match: "tests/evals/test_refunds.py::*"   # the desk's own suite
    set: [fraud, billing, shipping]
"""
PATTERN = "tests/evals/test_refunds.py::*"


def patched(text: str, diff: str, folder: Path) -> str:
    """Apply a diff as somebody who commits it would."""
    file = folder / ".tiebreak.yml"
    file.write_text(text)
    subprocess.run(["git", "apply", "-"], cwd=folder, input=diff, text=True, check=True)
    return file.read_text()


def test_a_tie_break_goes_into_the_rule_that_is_there_and_keeps_its_comments(
    tmp_path: Path,
) -> None:
    text = patched(POLICY, propose_tie_break(POLICY, PATTERN, ("billing", "fraud")), tmp_path)

    policy = read_policy(text).policy
    assert policy is not None
    assert "# What the refund desk agreed on." in text
    assert "# the desk's own suite" in text
    assert policy.labels[0].pairs[0].labels == ("billing", "fraud")
    assert policy.labels[0].set == ("fraud", "billing", "shipping")


def test_a_pattern_without_a_rule_gets_one_before_the_wider_ones(tmp_path: Path) -> None:
    diff = propose_tie_break(POLICY, "tests/evals/test_refunds.py::test_a", ("a: b", "no"))

    policy = read_policy(patched(POLICY, diff, tmp_path)).policy
    assert policy is not None
    assert policy.labels[0].match == "tests/evals/test_refunds.py::test_a"
    assert policy.labels[0].pairs[0].labels == ("a: b", "no")


def test_without_a_policy_the_diff_makes_one(tmp_path: Path) -> None:
    diff = propose_tie_break("", PATTERN, ("billing", "fraud"))

    assert read_policy(patched("version: 1\n", diff, tmp_path)).policy is not None


def test_a_rename_is_listed(tmp_path: Path) -> None:
    diff = propose_rename(POLICY, "tests/a.py::test_old", "tests/a.py::test_new")

    policy = read_policy(patched(POLICY, diff, tmp_path)).policy
    assert policy is not None
    assert (policy.renames[0].from_, policy.renames[0].to) == (
        "tests/a.py::test_old",
        "tests/a.py::test_new",
    )
