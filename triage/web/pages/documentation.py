"""The documentation as pages: the Markdown files of ``docs/``, as they come with this version."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.urls import reverse

from triage.environment import PROJECT_DIR
from triage.web.presenters.markdown import RenderedPage, render_markdown

DOCS = PROJECT_DIR / "docs"
NAME = re.compile(r"[a-z_]+")
IMAGE = re.compile(r"[a-z0-9-]+\.png")
# What somebody reads first stands first; a page that is not named here follows, by its name.
ORDER = (
    "ci", "client", "uploaders", "near_ties", "github", "github_setup", "notifications", "api",
    "access", "operations", "privacy",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DocumentedPage:
    """A page of the documentation in its list."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class DocumentationPage:
    """What a page of the documentation shows; ``shown`` is ``None`` for the list alone."""

    name: str
    shown: RenderedPage | None
    pages: Sequence[DocumentedPage]


def documentation_page(name: str = "") -> DocumentationPage | None:
    """Return a page of the documentation, the list without a name, ``None`` for no such page."""
    files = _files()
    if name and name not in files:
        return None
    pages = [DocumentedPage(each, _rendered(file).title) for each, file in files.items()]
    return DocumentationPage(name, _rendered(files[name]) if name else None, pages)


def picture(name: str) -> Path | None:
    """Return the file of a picture, if there is one of this name."""
    file = DOCS / "images" / name
    return file if IMAGE.fullmatch(name) and file.is_file() else None


def _files() -> Mapping[str, Path]:
    found = {file.stem: file for file in DOCS.glob("*.md") if NAME.fullmatch(file.stem)}
    return {name: found[name] for name in sorted(found, key=_place)}


def _place(name: str) -> tuple[int, str]:
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def _rendered(file: Path) -> RenderedPage:
    return _rendered_at(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _rendered_at(file: Path, written_at: int) -> RenderedPage:
    return render_markdown(file.read_text(encoding="utf-8"), _address)


def _address(link: str) -> str:
    """Return where a link of a file leads on the server; other sites and anchors stay."""
    path, mark, anchor = link.partition("#")
    if path.endswith(".md") and NAME.fullmatch(path.removesuffix(".md")):
        return reverse("docs-page", args=[path.removesuffix(".md")]) + mark + anchor
    if path.startswith("images/") and IMAGE.fullmatch(path.removeprefix("images/")):
        return reverse("docs-image", args=[path.removeprefix("images/")])
    return link
