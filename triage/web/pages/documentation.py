"""The documentation as pages: the Markdown files of ``docs/``, as they come with this version."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.urls import reverse

from triage.paths import docs_dir
from triage.web.presenters.markdown import RenderedPage, render_markdown

DOCS = docs_dir()
NAME = re.compile(r"[a-z_]+")
IMAGE = re.compile(r"[a-z0-9-]+\.png")
# The page that names all others, in the order in which somebody reads them.
INDEX = "index"
LINKED = re.compile(r"\]\(([a-z_]+)\.md\)")


@dataclass(frozen=True, slots=True)
class DocumentedPage:
    """A page of the documentation in its list."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class DocumentationPage:
    """What a page of the documentation shows; ``shown`` is ``None`` in a copy without any."""

    name: str
    shown: RenderedPage | None
    pages: Sequence[DocumentedPage]


def documentation_page(name: str = INDEX) -> DocumentationPage | None:
    """Return a page of the documentation, that of all pages without a name, or ``None``."""
    files = _files()
    if name not in files and name != INDEX:
        return None
    pages = [
        DocumentedPage(each, _rendered(file).title) for each, file in files.items() if each != INDEX
    ]
    return DocumentationPage(name, _rendered(files[name]) if name in files else None, pages)


def picture(name: str) -> Path | None:
    """Return the file of a picture, if there is one of this name."""
    file = DOCS / "images" / name
    return file if IMAGE.fullmatch(name) and file.is_file() else None


def _files() -> Mapping[str, Path]:
    found = {file.stem: file for file in DOCS.glob("*.md") if NAME.fullmatch(file.stem)}
    order = LINKED.findall(found[INDEX].read_text(encoding="utf-8")) if INDEX in found else []
    return {name: found[name] for name in dict.fromkeys([*order, *sorted(found)]) if name in found}


def _rendered(file: Path) -> RenderedPage:
    return _rendered_at(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _rendered_at(file: Path, written_at: int) -> RenderedPage:
    return render_markdown(file.read_text(encoding="utf-8"), _address)


def _address(link: str) -> str:
    """Return where a link of a file leads on the server; other sites and anchors stay."""
    path, mark, anchor = link.partition("#")
    if path == f"{INDEX}.md":
        return reverse("docs")
    if path.endswith(".md") and NAME.fullmatch(path.removesuffix(".md")):
        return reverse("docs-page", args=[path.removesuffix(".md")]) + mark + anchor
    if path.startswith("images/") and IMAGE.fullmatch(path.removeprefix("images/")):
        return reverse("docs-image", args=[path.removeprefix("images/")])
    return link
