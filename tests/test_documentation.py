"""The documentation names what there is, what it names exists, and its links lead somewhere."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.urls import Resolver404, resolve
from markdown_it import MarkdownIt

from tests.policy import reference
from tests.verdict import findings_table
from triage.api.examples import ERRORS
from triage.errors import TiebreakError
from triage.parse.evidence import READERS
from triage.parse.failure_messages.reading import read_pairs
from triage.policy.reading import read_policy
from triage.terms import Conclusion, Difference, FindingKind
from triage.verdict.rules import EXIT_CODES, Ground

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), *(ROOT / f"{name}.md" for name in ("README", "SECURITY"))]
by_name = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
COMMAND = re.compile(r"\btiebreak ([a-z]\w+)((?: (?!\|)[^`\n;&>]*)?)")
OF_DJANGO = {"migrate", "check", "createsuperuser", "dumpdata", "loaddata", "help", "test"}


def text(name: str) -> str:
    """Return a page of the documentation."""
    return (DOCS / f"{name}.md").read_text()


def blocks(page: str, language: str) -> list[str]:
    """Return the blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)


def anchors(page: Path) -> set[str]:
    """Return what a forge calls the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


def links(page: Path) -> Iterator[str]:
    """Return where the links and pictures of a page lead."""
    for token in MarkdownIt().parse(page.read_text()):
        for child in token.children or ():
            if child.type in {"link_open", "image"}:
                yield str(child.attrs.get("href") or child.attrs.get("src"))


@by_name
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in links(page):
        if target.startswith(("http://", "https://", "/")):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


@by_name
def test_every_command_exists_with_its_options(page: Path) -> None:
    for name, rest in COMMAND.findall(page.read_text()):
        assert name in {*get_commands(), "help"}, name
        if name not in OF_DJANGO:
            known = options_of(load_command_class(get_commands()[name], name))
            assert set(re.findall(r"(--[a-z][\w-]*)", rest)) <= known, f"{name}{rest}"


def options_of(command: object) -> set[str]:
    """Return the options of a command and of what it has beneath it."""
    parsers = [command.create_parser("manage.py", "")]  # type: ignore[attr-defined]
    found: set[str] = set()
    for parser in parsers:
        found |= {option for action in parser._actions for option in action.option_strings}
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
    return found


@by_name
def test_every_target_of_make_exists(page: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"(?:^|`)make ([a-z][\w-]*)(?=$|`)", page.read_text(), re.M)) <= targets


@by_name
def test_every_address_of_ours_exists(page: Path) -> None:
    # The matrix of access is written out of the addresses.
    written = page.read_text().partition("<!-- matrix -->")[0]
    for told in re.findall(r"`(/(?:api|setup|repositories|docs|r)/[^`\s]*)`", written):
        path = told.split("?")[0].split("#")[0]
        path = path.replace("OWNER/NAME", "acme/support-bot").replace("…", "1").replace("NAME", "x")
        try:
            resolve(re.sub(r"\{[^}]*\}|\b(ID|PK|pk)\b", "1", path))
        except Resolver404:
            pytest.fail(f"{told} is no address")


def test_every_page_is_listed() -> None:
    listed = set(links(DOCS / "index.md"))
    assert {page.name for page in DOCS.glob("*.md")} - {"index.md"} <= listed


def test_every_property_is_named_and_no_other_one() -> None:
    rows = re.findall(r"^\| ((?:`[\w.]+`(?:, )?)+) \|", text("properties"), re.M)
    assert set(re.findall(r"`([\w.]+)`", " ".join(rows))) == set(READERS)


def test_every_key_of_the_policy_is_explained() -> None:
    assert reference.stored() == reference.tables(), "run python -m tests.policy.reference"


def test_every_policy_that_is_shown_is_one() -> None:
    shown = [each for page in PAGES for each in blocks(page.read_text(), "yaml")]
    policies = [each for each in shown if each.startswith("version: 1\n")]
    assert len(policies) >= 3
    for each in policies:
        assert read_policy(each).errors == ()


def test_every_finding_ground_and_conclusion_is_explained() -> None:
    page = text("verdicts")
    assert findings_table.stored() == findings_table.table(), (
        "run python -m tests.verdict.findings_table"
    )
    for word in (*Ground, *FindingKind):
        assert word in page
    for difference in Difference:
        assert f"| `{difference}` |" in page
    codes = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| (\d) \|", page, re.M))
    assert codes == {str(each): str(EXIT_CODES[each]) for each in Conclusion}


def test_every_message_that_is_shown_is_read() -> None:
    messages = blocks(text("quick_start"), "text")
    assert len(messages) == 3
    for message in messages:
        (pair,) = read_pairs(message)
        assert (pair.expected, pair.observed) == ("fraud", "billing")


def test_every_error_has_a_place_on_the_page_of_errors() -> None:
    assert {kind.code for kind in TiebreakError.__subclasses__()} == set(ERRORS)


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").read_text().count("\n") <= 150
