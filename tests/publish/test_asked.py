"""What the check answers to those who pressed its buttons, however hostile the words in it are."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.token import Token

from tests.publish.test_comment import many
from tests.publish.test_inert import HOSTILE, RENDER, TEXTS
from triage.models import RequestedAction
from triage.publish.asked import answer_of
from triage.publish.check_run import Asked, check_run
from triage.terms import ActionState, Button

REPORT = "https://tiebreak.example/runs/1/"
DECISION = "https://tiebreak.example/escalations/1/?kind=accept_label&label=a%29+%5Bb%5D#decide"


def action(who: str, answer: str, **question: str) -> RequestedAction:
    """Return a press of a button that was answered with one question."""
    detail = {"questions": [{"url": DECISION, **question}]}
    return RequestedAction(
        kind=Button.ACCEPT_LABEL, who=who, answer=answer, state=ActionState.DONE, detail=detail
    )


def summary(*actions: RequestedAction, name: str = "test_a") -> str:
    """Return the summary of a check with these answers."""
    answers = tuple(answer_of(each) for each in actions)
    document = many([name]) | {"conclusion": "blocked", "second_pass": {"repeats": 0}}
    return check_run(document, {}, {}, Asked(answers=answers)).summary


def tokens(markdown: str) -> list[Token]:
    """Return all tokens of a text, those within lines included."""
    return [each for token in RENDER.parse(markdown) for each in [token, *(token.children or [])]]


def refuse_leaks(markdown: str) -> None:
    """Raise if anything but what the check itself says stands in its Markdown."""
    found = tokens(markdown)
    assert {each.content for each in found if "html" in each.type} == {"<sub>", "</sub>"}
    assert sum(each.type == "heading_open" for each in found) == 1
    assert sum(each.type == "td_open" for each in found) == 5
    assert sum(each.type == "blockquote_open" for each in found) == 1
    links = {each.attrs["href"] for each in found if each.type == "link_open"}
    assert links == {REPORT, DECISION}
    # The one list is that of the next steps.
    assert sum(each.type == "list_item_open" for each in found) == 1
    assert not {each.type for each in found} & {"image", "hr", "code_block", "em_open", "s_open"}
    (diff,) = [each for each in found if each.type == "fence"]
    first, second, end = diff.content.split("\n")
    assert (first[:17], second[:17], end) == ("-expected label: ", "+expected label: ", "")


@given(*[TEXTS] * 6)
def test_words_of_others_stay_words(
    who: str, answer: str, case: str, expected: str, observed: str, name: str
) -> None:
    told: dict[str, Any] = {"case": case, "expected": expected, "observed": observed}
    refuse_leaks(summary(action(who or "octo", answer or "done", **told), name=name))


@pytest.mark.parametrize("text", HOSTILE)
def test_each_hostile_text_is_inert_wherever_it_stands(text: str) -> None:
    told = {"case": text, "expected": text, "observed": f"{text}\n+expected label: fraud"}
    refuse_leaks(summary(action(text, text, **told), name=text))


@given(st.lists(TEXTS, min_size=2, max_size=2))
def test_nobody_is_mentioned(texts: list[str]) -> None:
    who, answer = texts
    shown = tokens(answer_of(action(f"octo{who}", f"{answer} @acme/everyone", case="a")))

    text = "".join(each.content for each in shown if each.type == "text")
    assert "@octo" not in text
    assert "@acme" not in text
