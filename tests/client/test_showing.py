"""What people see: hostile names stay inert in a terminal, in annotations and in Markdown."""

import json
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.client.jobs import make_job
from triage.client import annotation_lines, inert, printable, summary

EVIL = "x|y\n::error::owned %0A @acme/all <img src=x> **b** [l](javascript:1) \x1b[31m"


def finding(kind: str = "label_regression", case: str = "t::a", **told: Any) -> dict[str, Any]:
    """Return a finding as a verdict holds it."""
    plain = {"finding": kind, "case": case, "difference": "label", "reason": "moved"}
    return plain | {"expected": "fraud", "observed": "billing", "next_step": "look"} | told


def verdict(*findings: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict."""
    line = {"icon": "❌", "text": "Do not merge", "tone": "bad"}
    return {
        "conclusion": "blocked",
        "exit_code": 1,
        "headline": line,
        "findings": list(findings),
        "warnings": [],
        "url": "https://tiebreak.example.com/runs/1/",
    }


def test_findings_that_block_are_errors_and_those_that_hold_are_warnings() -> None:
    flake = finding("expected_flake")

    lines = list(annotation_lines(verdict(finding(), finding("near_tie", "t::b"), flake)))

    assert lines == [
        "::error title=label regression%3A t%3A%3Aa::moved look",
        "::warning title=near tie%3A t%3A%3Ab::moved look",
    ]


def test_a_file_that_is_in_the_checkout_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "test_refunds.py").touch()

    (line,) = annotation_lines(verdict(finding(case="evals.test_refunds.TestRefunds::test_a")))

    assert ",file=evals/test_refunds.py::" in line


def test_a_name_cannot_write_an_annotation_of_its_own() -> None:
    (line,) = annotation_lines(verdict(finding(case=EVIL, reason=EVIL)))

    assert "\n" not in line
    assert "\x1b" not in line
    assert "%250A" in line
    assert line.split("::")[1].count(":") == 0


def test_more_than_github_shows_is_counted_in_the_last_one() -> None:
    lines = list(annotation_lines(verdict(*(finding(case=f"t::{n}") for n in range(25)))))

    assert len(lines) == 10
    assert lines[-1].endswith("16 more are on https://tiebreak.example.com/runs/1/")


def test_a_name_does_nothing_in_the_summary() -> None:
    text = summary(verdict(finding(case=EVIL, observed=EVIL)))

    html = MarkdownIt("gfm-like").render(text)
    assert html.count("<tr>") == 2
    assert html.count("<td>") == 4
    assert html.count("<a ") == 1
    assert not any(tag in html for tag in ("<img", "<strong", 'javascript:1"'))
    assert "@acme/all &lt;img src=x&gt; **b** [l](javascript:1)" in html


@pytest.mark.parametrize("text", ["plain words", "a_b*c", "fraud → billing", "1. x", "- y"])
def test_text_reads_as_it_was_written(text: str) -> None:
    html = MarkdownIt("gfm-like").render("x " + inert(text))
    assert html == f"<p>x {text}</p>\n"


def test_a_terminal_gets_no_control_characters() -> None:
    assert printable("a\x1b[2J\u202eb\nc") == "a\ufffd[2J\ufffdb c"


def test_annotate_writes_the_log_and_the_summary(tmp_path: Path) -> None:
    job = make_job(tmp_path, "", GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"))
    job.write("verdict.json", json.dumps(verdict(finding())))

    done = job.run("annotate", "verdict.json")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("::error title=label regression")
    assert (tmp_path / "summary.md").read_text().startswith("### ❌ Do not merge")


def test_annotate_says_when_a_file_holds_no_verdict(tmp_path: Path) -> None:
    done = make_job(tmp_path, "").run("annotate", "missing.json")

    assert done.returncode == 2
    assert "missing.json holds no verdict" in done.stderr
