"""Read what is answered as its reader would, and say what in it is more than text."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree

from markdown_it import MarkdownIt

from tests.security.hostile_texts import MARK

HERE = "http://127.0.0.1:8000/"
ADDRESSES = frozenset(
    {"href", "src", "srcset", "action", "formaction", "poster", "data", "xlink:href", "ping"}
)
WITHOUT_TEXT = frozenset({"script", "style"})
FORBIDDEN = frozenset({"iframe", "object", "embed", "base", "applet", "frame", "template"})
SVG = frozenset({"svg", "title", "rect", "path", "g", "text"})
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
TURNING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MENTION = re.compile(r"(?<![\w/`])@\w")
RENDER = MarkdownIt("gfm-like", {"linkify": False})


@dataclass
class Form:
    """A form of a page: where it leads, how, and what it asks for."""

    action: str
    method: str
    fields: list[str] = field(default_factory=list)


@dataclass
class Reading:
    """What a document shows as text, and what it does beside that."""

    text: str = ""
    wrong: list[str] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)


class _Page(HTMLParser):
    """A page as a browser takes it apart."""

    def __init__(self, path: str) -> None:
        super().__init__(convert_charrefs=True)
        self.path, self.reading = path, Reading()
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at an element and its attributes."""
        told = {name: value or "" for name, value in attrs}
        self._open = tag
        if tag in FORBIDDEN or not re.fullmatch(r"[a-z][a-z0-9]*", tag):
            self.reading.wrong.append(f"element {tag}")
        if tag == "script" and not told.get("src", "").startswith("/static/"):
            self.reading.wrong.append(f"script of {told}")
        for name, value in told.items():
            self.reading.wrong += _wrong_attribute(self.path, name, value)
        self.reading.text += "\n".join(told.values())
        self._note_form(tag, told)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at an element without content."""
        self.handle_starttag(tag, attrs)
        self._open = ""

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self._open = ""

    def handle_data(self, data: str) -> None:
        """Keep text; a script has none."""
        if self._open in WITHOUT_TEXT and data.strip():
            self.reading.wrong.append(f"inline {self._open} {data[:80]!r}")
        if TURNING.search(data.replace("\r", "")):
            self.reading.wrong.append(f"unprintable text {data[:80]!r}")
        self.reading.text += data

    def handle_comment(self, data: str) -> None:
        """Refuse comments: none of our pages has any."""
        self.reading.wrong.append(f"comment {data[:80]!r}")

    handle_pi = unknown_decl = handle_comment

    def _note_form(self, tag: str, told: dict[str, str]) -> None:
        forms = self.reading.forms
        if tag == "form":
            address = urljoin(self.path, told.get("action") or self.path)
            forms.append(Form(address, told.get("method", "get").lower()))
        elif tag in {"input", "select", "textarea", "button"} and told.get("name") and forms:
            forms[-1].fields.append(told["name"])


def read_page(path: str, body: str) -> Reading:
    """Read a page of HTML."""
    page = _Page(path)
    page.feed(body)
    page.close()
    return page.reading


def read_image(body: str) -> Reading:
    """Read an image of ours: shapes and text."""
    reading = Reading()
    # It is our own answer, and a reader that knows no entities of others.
    for element in ElementTree.fromstring(body).iter():
        tag = element.tag.rpartition("}")[2]
        if tag not in SVG:
            reading.wrong.append(f"element {tag}")
        for name, value in element.attrib.items():
            reading.wrong += _wrong_attribute(HERE, name, value)
        reading.text += f"{element.text or ''}\n" + "\n".join(element.attrib.values())
    return reading


def read_table(body: str) -> Reading:
    """Read CSV as a spreadsheet does."""
    reading = Reading()
    for row in csv.reader(io.StringIO(body, newline="")):
        formulas = [cell for cell in row if MARK in cell and cell.startswith(FORMULAS)]
        reading.wrong += [f"formula {cell[:80]!r}" for cell in formulas]
        reading.text += "\n".join(row)
    return reading


def read_json(body: str) -> Reading:
    """Read JSON: everything in it is data."""
    return Reading("\n".join(map(str, _leaves(json.loads(body)))))


def read_plain(body: str) -> Reading:
    """Read text as a terminal does."""
    wrong = [f"unprintable {found.group()!r}" for found in TURNING.finditer(body)]
    return Reading(body, wrong)


def read_markdown(body: str) -> Reading:
    """Read Markdown as a forge does: what it links, loads and whom it calls."""
    reading = Reading(body)
    for token in RENDER.parse(body):
        for each in (token, *(token.children or ())):
            reading.wrong += _wrong_token(each)
    return reading


def _wrong_token(token: Any) -> Iterator[str]:
    target = str(token.attrGet("href") or token.attrGet("src") or "")
    if token.type == "image" or (target and not target.startswith(HERE)):
        yield f"{token.type} to {target!r}"
    if token.type in {"html_inline", "html_block"} and MARK in token.content:
        yield f"{token.type} {token.content[:80]!r}"
    if token.type == "text" and MENTION.search(token.content):
        yield f"mention {token.content[:80]!r}"
    if token.type in {"text", "code_inline", "fence"} and TURNING.search(token.content):
        yield f"unprintable {token.content[:80]!r}"


def _wrong_attribute(path: str, name: str, value: str) -> Iterator[str]:
    if not re.fullmatch(r"[a-z][a-z0-9:-]*", name, re.IGNORECASE) or name.startswith("on"):
        yield f"attribute {name}={value[:80]!r}"
    if name in {"style", "srcdoc"}:
        yield f"attribute {name}={value[:80]!r}"
    if name in ADDRESSES:
        parts = urlsplit(urljoin(urljoin(HERE, path), value))
        if parts.scheme not in {"http", "https"} or MARK in parts.netloc:
            yield f"address {name}={value[:80]!r}"


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


READERS = {
    "image/svg+xml": read_image,
    "text/csv": read_table,
    "application/json": read_json,
    "text/plain": read_plain,
}
