"""Markdown as a page: headings with addresses, tables that scroll, and no HTML of its own."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

# What a forge leaves out of a heading's address.
NO_ADDRESS = re.compile(r"[^\w\- ]")
LISTED_LEVEL = "h2"

# Returns the address of a page for what a link says.
Resolve = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the table of contents."""

    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A document as HTML, its first heading apart."""

    title: str
    body: SafeString
    contents: Sequence[Heading]


def render_markdown(text: str, resolve: Resolve) -> RenderedPage:
    """Render a document of this project.

    Raw HTML in it is left out, so that a comment of an author is not shown. Headings get the
    addresses that a forge gives them.
    """
    parser = _parser()
    tokens = parser.parse(text)
    headings = [_name_heading(tokens, at) for at in _at(tokens, "heading_open")]
    for token in _every(tokens):
        _point(token, resolve)
    title = headings[0].text if headings else ""
    body = parser.renderer.render(_without_title(tokens), parser.options, {})
    listed = [
        heading
        for heading, at in zip(headings, _at(tokens, "heading_open"), strict=True)
        if tokens[at].tag == LISTED_LEVEL
    ]
    # The text is a file of this project, and the renderer has escaped what is no markup of it.
    return RenderedPage(title, mark_safe(body), listed)  # noqa: S308


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}, renderer_cls=_Renderer)
    return parser.enable("table")


class _Renderer(RendererHTML):
    """Writes what pages of the product need: no raw HTML, frames that can be scrolled by keys."""

    def html_block(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return ""

    def html_inline(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return ""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return _code(tokens[idx].content)

    def code_block(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return _code(tokens[idx].content)

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return '<div class="table-frame" tabindex="0"><table class="small">\n'

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return "</table></div>\n"


def _code(content: str) -> str:
    return f'<pre tabindex="0"><code>{escape(content)}</code></pre>\n'


def _at(tokens: Sequence[Token], kind: str) -> list[int]:
    return [position for position, token in enumerate(tokens) if token.type == kind]


def _every(tokens: Sequence[Token]) -> list[Token]:
    return [inner for token in tokens for inner in (token, *(token.children or ()))]


def _name_heading(tokens: Sequence[Token], at: int) -> Heading:
    """Give a heading its address: its words in small letters with hyphens between them."""
    inline = tokens[at + 1]
    text = "".join(child.content for child in inline.children or ())
    anchor = NO_ADDRESS.sub("", text.lower()).replace(" ", "-")
    tokens[at].attrSet("id", anchor)
    return Heading(anchor, text)


def _point(token: Token, resolve: Resolve) -> None:
    for name in LINKS.get(token.type, ()):
        token.attrSet(name, resolve(str(token.attrGet(name) or "")))


LINKS: Mapping[str, Sequence[str]] = {"link_open": ("href",), "image": ("src",)}


def _without_title(tokens: Sequence[Token]) -> list[Any]:
    """Leave the first heading out, which the page shows as its own."""
    is_titled = bool(tokens) and tokens[0].type == "heading_open" and tokens[0].tag == "h1"
    return list(tokens[3:] if is_titled else tokens)
