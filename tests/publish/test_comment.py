"""The one comment on a pull request."""

from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.flows.suites import CRASH, FLIP, WORDING, CaseRun, history, suite, take
from tests.publish.test_inert import HOSTILE
from triage.publish.comment import MARKER, MOST_BYTES, WORDS, comment_body
from triage.publish.excerpts import excerpts
from triage.terms import FindingKind

PR: dict[str, Any] = {"pr": 7, "branch": "change", "run_id": "ci-1"}
RENDER = MarkdownIt("gfm-like", {"linkify": False}).enable("table")


def comment(*changed: CaseRun, attempts: int = 1) -> str:
    """Return the comment on a pull request in which these cases differ in every attempt."""
    history(6)
    for attempt in range(1, attempts + 1):
        document = take(suite(6, *changed), 20, attempt=attempt, **PR)
    return comment_body(document, excerpts(document["findings"]))


def many(names: list[str], **told: Any) -> dict[str, Any]:
    """Return a verdict document with a failing case per name."""
    finding = {
        "finding": "label_regression", "difference": "label", "expected": "fraud",
        "observed": "billing", "reason": "It moved.", "next_step": "Look.", "budget": None,
        "part": "", "result_id": 1,
    }  # fmt: skip
    return {
        "headline": {"icon": "❌", "text": "Do not merge", "tone": "bad"},
        "sha": "4f2c9ab00", "base_sha": "", "attempt": 1, "url": "https://tiebreak.example/runs/1/",
        "counts": {"passed": 1, "failed": len(names), "errored": 0, "skipped": 0, "llm": 1},
        "budget": {"spent": 0, "limit": 4}, "parts": {"got": 1, "expected": 1}, "warnings": [],
        "findings": [finding | {"case": name} | told for name in names],
    }  # fmt: skip


@pytest.mark.django_db
def test_the_first_line_decides_and_the_table_is_worst_first() -> None:
    body = comment(
        CaseRun("test_ticket[1]", FLIP, "billing"), CaseRun("test_ticket[0]", WORDING), attempts=4
    )

    lines = body.split("\n")
    assert lines[0] == MARKER
    assert lines[2].startswith("### ❌ Do not merge: 1 label regression")
    assert body.index("❌ label regression |") < body.index("🌀 expected flake |")
    assert "`fraud` → **`billing`**" in body
    assert "never charged: label flips are not flakes" in body


@pytest.mark.django_db
def test_evidence_of_what_passes_is_folded_away() -> None:
    body = comment(CaseRun("test_ticket[0]", WORDING))

    folded = body.index("<details>")
    assert "I refunded it now" not in body[:folded]
    assert "I refunded it now" in body[folded:]


@pytest.mark.django_db
def test_what_to_do_is_said_in_three_lines_at_most() -> None:
    body = comment(
        CaseRun("test_ticket[0]", FLIP, "billing"),
        CaseRun("test_ticket[1]", FLIP, "shipping"),
        CaseRun("test_ticket[2]", CRASH),
    )

    steps = body.split("**Next**")[1].split("**Evidence**")[0].strip().split("\n")
    assert len(steps) == 2
    assert "and 1 more: Repeat this test 3 times" in steps[0]


def test_three_thousand_failures_fit_and_the_rest_is_counted() -> None:
    names = [f"tests/test_🎫.py::test_{number}" for number in range(3_000)]

    body = comment_body(many(names), {})

    shown = body.count("❌ label regression |")
    assert len(body.encode()) <= MOST_BYTES
    assert shown > 300
    assert f"{3_000 - shown} more failing cases are in the [full report](" in body


def test_hostile_names_labels_and_texts_stay_in_their_cells() -> None:
    document = many(HOSTILE, expected=HOSTILE[2], observed=HOSTILE[4], reason=" ".join(HOSTILE))
    document["warnings"] = HOSTILE

    tokens = RENDER.parse(comment_body(document, {1: "\n".join(HOSTILE)}))
    inline = [child for token in tokens for child in token.children or []]

    assert sum(token.type == "td_open" for token in tokens) == 5 * len(HOSTILE)
    assert {child.content for child in inline if child.type == "html_inline"} == {"<sub>", "</sub>"}
    assert {child.type for child in inline if "link" in child.type} == {"link_open", "link_close"}
    links = [child.attrs["href"] for child in inline if child.type == "link_open"]
    assert set(links) == {"https://tiebreak.example/runs/1/"}
    assert [t.content for t in tokens if t.type == "html_block" and MARKER[:13] in t.content] == [
        f"{MARKER}\n"
    ]


@pytest.mark.parametrize("kind", FindingKind)
def test_every_finding_has_its_word(kind: FindingKind) -> None:
    assert WORDS[kind] in comment_body(many(["test_a"], finding=kind.value), {})
