"""The documentation as pages of the product."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from triage.web.pages import documentation

pytestmark = pytest.mark.django_db

DOCS = Path(__file__).parents[3] / "docs"
INDEX = DOCS / "index.md"
NAMES = sorted(file.stem for file in DOCS.glob("*.md") if file != INDEX)


class Links(HTMLParser):
    """The links, the pictures and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what leads somewhere, and what can be led to."""
        told = dict(attrs)
        self.links += [told[name] or "" for name in ("href", "src") if name in told]
        self.anchors += [told["id"] or ""] if "id" in told else []


def html(path: str) -> str:
    """Return a page as somebody without an account sees it."""
    answer = Client().get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


def article(name: str) -> str:
    """Return the part of a page that is its file's."""
    return html(f"/docs/{name}/".replace("//", "/")).split("<article")[1].split("</article>")[0]


def test_every_file_is_listed_in_an_order_that_names_each() -> None:
    listed = [name.removesuffix(".md") for name in re.findall(r"\]\(([\w.]+)\)", INDEX.read_text())]

    page = html("/docs/")

    assert sorted(listed) == NAMES
    assert re.findall(r'href="/docs/(\w+)/"', page.split("<article")[0]) == listed
    assert article("").count("href=") == len(listed)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_shows_its_file_with_title_and_contents(name: str) -> None:
    title = (DOCS / f"{name}.md").read_text().splitlines()[0].removeprefix("# ").replace("`", "")

    page = html(f"/docs/{name}/")

    assert page.count("<h1") == 1
    assert f"<h1>{title}</h1>" in page
    assert f"<title>{title} · Documentation · Tiebreak</title>" in page
    assert "&lt;!--" not in page
    assert "style=" not in page


@pytest.mark.parametrize("name", NAMES)
def test_every_link_of_a_page_leads_somewhere(name: str) -> None:
    for link in Links(article(name)).links:
        path, _, anchor = link.partition("#")
        if link.startswith("https://"):
            continue
        target = path or f"/docs/{name}/"
        answer = Client().get(target)
        assert answer.status_code == 200, link
        if anchor:
            assert anchor in Links(answer.content.decode()).anchors, link
        else:
            answer.close()


def test_no_address_of_a_page_is_there_twice() -> None:
    for name in [*NAMES, INDEX.stem]:
        anchors = Links(html(f"/docs/{name}/")).anchors
        assert len(anchors) == len(set(anchors)), name


def test_pictures_are_sent_and_nothing_else_is() -> None:
    answer: Any = Client().get("/docs/images/near-tie-held.png")

    assert answer["Content-Type"] == "image/png"
    assert b"".join(answer).startswith(b"\x89PNG")
    for name in ("nothing.png", "..%2faccess.md", "%2e%2e", "near-tie-held.PNG"):
        assert Client().get(f"/docs/images/{name}").status_code == 404


@pytest.mark.parametrize("name", ["nothing", "README", "-"])
def test_a_page_that_there_is_not_says_so(name: str) -> None:
    answer = Client().get(f"/docs/{name}/")

    assert answer.status_code == 404
    assert f"The documentation has no page “{name}”" in answer.content.decode()


def test_a_copy_without_files_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(documentation, "DOCS", tmp_path)

    assert "came without its documentation" in html("/docs/")


def test_pages_and_errors_lead_there() -> None:
    assert 'href="/docs/"' in html("/sign-in/")
    assert 'href="/docs/"' in Client().get("/nothing/").content.decode()


@pytest.mark.browser
@pytest.mark.parametrize("width", [375, 1440])
def test_a_browser_shows_every_page_whole_at_every_width(
    live_server: Any, browser_page: Any, width: int
) -> None:
    wrong: list[str] = []
    browser_page.on("console", lambda message: wrong.append(message.text))
    browser_page.set_viewport_size({"width": width, "height": 900})

    for name in NAMES:
        browser_page.goto(f"/docs/{name}/")
        assert browser_page.evaluate("document.documentElement.scrollWidth") <= width, name
    assert wrong == []
