"""Text that CI or a model wrote does nothing in Markdown, wherever it stands."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from triage.publish.inert import WORD_JOINER, block, code, sentence

HOSTILE = [
    "@acme/everyone look",
    "fixes #12 and GH-12",
    "a | b | c",
    "<img src=x onerror=alert(1)>",
    "--> <!-- tiebreak: this comment is edited in place -->",
    "[click](https://evil.example) ![x](https://evil.example/x.png)",
    "https://evil.example and www.evil.example",
    "``` \n# heading\n- list\n> quote",
    "`a` ``b`` ```c```",
    "**bold** _em_ ~~gone~~ $math$",
    "\u202egnp.exe \u2066hidden\u2069",
    "&lt;script&gt; &#64;user",
    "\x1b[31mred\x1b[0m",
    "line\nbreak\r\nagain\ttab",
    "|---|---|\n| cell |",
    "1. one\n2. two",
]
RENDER = MarkdownIt("gfm-like", {"linkify": False}).enable("table")
TEXTS = st.text(max_size=60) | st.sampled_from(HOSTILE)


def tokens(markdown: str) -> list[Token]:
    """Return all tokens of a text, those within lines included."""
    found = []
    for token in RENDER.parse(markdown):
        found += [token, *(token.children or [])]
    return found


def kinds(markdown: str) -> set[str]:
    """Return the kinds of the tokens."""
    return {token.type for token in tokens(markdown)}


@given(TEXTS)
def test_a_sentence_is_nothing_but_text(text: str) -> None:
    inside = kinds(f"Reason: {sentence(text)}.")

    assert inside <= {"paragraph_open", "inline", "text", "paragraph_close", "text_special"}


@given(TEXTS)
def test_a_code_span_is_one_code_span(text: str) -> None:
    assert [token.type for token in tokens(f"a {code(text)} b") if token.type == "code_inline"] == [
        "code_inline"
    ]


@given(st.lists(TEXTS, min_size=3, max_size=3))
def test_a_row_of_a_table_keeps_its_cells(texts: list[str]) -> None:
    first, second, third = texts
    row = f"| {code(first)} | {sentence(second)} | {code(third)} |"

    found = tokens(f"| a | b | c |\n|---|---|---|\n{row}\n\nafter")

    assert sum(token.type == "td_open" for token in found) == 3
    assert "html_inline" not in {token.type for token in found}


@given(TEXTS)
def test_a_block_holds_everything_and_ends_where_it_should(text: str) -> None:
    found = tokens(f"{block(text)}\n\nafter")

    assert [token.type for token in found if token.nesting == 0 and token.block] == [
        "fence",
        "inline",
    ]


@pytest.mark.parametrize("active", ["@user", "#12", "https://x.example", "www.x.example", "GH-12"])
def test_what_a_forge_would_link_is_kept_apart(active: str) -> None:
    shown = "".join(token.content for token in tokens(sentence(active)) if token.type == "text")

    assert active not in shown
    assert shown.replace(WORD_JOINER, "") == active


def test_text_cannot_turn_the_line_around() -> None:
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", sentence(HOSTILE[10]) + code(HOSTILE[10]))
