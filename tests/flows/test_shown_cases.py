"""The four cases that a pull request is in, from stored runs to what its readers see."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import time_machine
from django.utils.html import format_html
from django.utils.safestring import mark_safe

from tests.flows.github import PULL, checks, comments, publish_all, pull_request, set_up
from tests.flows.suites import FLIP, START, WORDING, CaseRun, sha, take
from tests.publish.test_inert import RENDER
from tests.servers.github.server import fake_github
from tests.servers.github.world import World

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

HEAD, BASE = "4f2c9ab".ljust(40, "0"), sha(21)
SIZE = 40
HISTORY = 12
WIDTH = 900
# As GitHub sets comments, as far as it changes what fits into a line.
STYLE = """
body { font: 14px/1.5 system-ui, "Noto Sans", Arial, sans-serif; color: #1f2328; margin: 24px; }
h3 { font-size: 1.25em; margin: 16px 0; } h4 { margin: 0 0 8px; }
code, pre { font: 12px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; background: #eff1f3; }
code { padding: .2em .4em; border-radius: 6px; white-space: break-spaces; }
pre { padding: 16px; border-radius: 6px; overflow: auto; }
pre code { padding: 0; white-space: pre; }
table { border-collapse: collapse; display: block; max-width: 100%; overflow: auto; }
td, th { border: 1px solid #d1d9e0; padding: 6px 13px; }
blockquote { border-left: .25em solid #d1d9e0; color: #59636e; margin: 0 0 16px; padding: 0 1em; }
section { border: 1px solid #d1d9e0; border-radius: 6px; margin-bottom: 24px; padding: 16px; }
button { background: #f6f8fa; border: 1px solid #d1d9e0; border-radius: 6px; padding: 4px 12px; }
"""


@dataclass(frozen=True)
class Shown:
    """A case: what fails in its last attempt and in those before, and what is shown of it."""

    failing: dict[int, tuple[str, str]]
    before: dict[int, tuple[str, str]]
    attempts: int
    conclusion: str
    headline: str
    buttons: tuple[str, ...] = ()


FLAKE, MOVED = (WORDING, "fraud"), (FLIP, "billing")
CASES = {
    "1-all-expected-flakes": Shown(
        {3: FLAKE, 5: FLAKE, 8: FLAKE},
        {},
        1,
        "success",
        "✅ Safe to merge: all 3 failures are expected flakes, no label flipped",
    ),
    "2-label-regression": Shown(
        {3: FLAKE, 5: FLAKE, 7: MOVED},
        {7: MOVED},
        4,
        "failure",
        "❌ Do not merge: 1 label regression (fraud → billing), 2 expected flakes",
        ("Accept new label",),
    ),
    "3-near-tie-second-pass": Shown(
        {3: FLAKE, 7: MOVED},
        {},
        1,
        "action_required",
        "⚠️ On hold: 1 near tie, 1 expected flake, no proven regression",
        ("Re-run failed jobs", "Escalate", "Mark as regression"),
    ),
    "4-budget-exhausted": Shown(
        {1: FLAKE, 3: FLAKE},
        {},
        1,
        "failure",
        "❌ Flake budget used up: 1 case over budget, no label flipped",
        ("Allow once",),
    ),
}


@pytest.fixture
def world() -> Iterator[World]:
    """Return a GitHub with a pull request, after a history in which one case flaked a lot."""
    with time_machine.travel(START + timedelta(hours=31)), fake_github() as made:
        set_up(made, HEAD)
        for number in range(1, 22):
            flaky = {1: FLAKE} if number > HISTORY else {}
            take(cases({3 + number % 6: FLAKE} | flaky if number % 3 == 0 else flaky), number)
        pull_request(made, HEAD, "opened")
        yield made
        assert made.violations() == []


def cases(failing: dict[int, tuple[str, str]]) -> list[CaseRun]:
    """Return a suite in which some cases fail, each at a line of its own."""
    told = {number: failing.get(number, ("", "fraud")) for number in range(SIZE)}
    return [
        CaseRun(f"test_ticket[{number}]", failure, label, line=10 * number + 4)
        for number, (failure, label) in told.items()
    ]


def page_of(check: dict[str, Any], comment: str) -> str:
    """Return check and comment as a page."""
    output = check["output"]
    buttons = "".join(f"<button>{each['label']}</button> " for each in check["actions"])
    return format_html(
        "<!doctype html><style>{}</style><section><h4>{} · {}</h4>{}</section>"
        "<section>{}</section>",
        mark_safe(STYLE),
        check["conclusion"],
        output["title"],
        mark_safe(buttons),
        mark_safe(RENDER.render(comment)),
    )


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_shown_with_its_decision_first(
    world: World, name: str, browser_page: "Page", take_screenshot: Callable[[str], Path]
) -> None:
    case = CASES[name]
    for attempt in range(1, case.attempts + 1):
        failing = case.failing if attempt == case.attempts else case.before
        told = {"pr": PULL, "branch": "change", "run_id": "555", "attempt": attempt}
        take(cases(failing), 30, sha=HEAD, base_sha=BASE, **told)
    publish_all()
    check, (comment,) = checks(world)[-1], comments(world)
    browser_page.set_viewport_size({"width": WIDTH, "height": 600})
    browser_page.set_content(page_of(check, comment))
    take_screenshot(f"app/{name}")

    assert check["conclusion"] == case.conclusion
    assert tuple(each["label"] for each in check["actions"]) == case.buttons
    assert browser_page.inner_text("h3") == case.headline
    assert browser_page.locator("tbody tr").count() == len(case.failing)
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= WIDTH
