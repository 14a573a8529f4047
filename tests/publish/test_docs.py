"""The page about GitHub names what the App offers and asks for."""

from pathlib import Path

import pytest

from triage.actions.following import LONGEST_SILENCE
from triage.publish.check_run import BUTTONS, CONCLUSIONS, MOST_ANNOTATIONS
from triage.publish.delivering import MOST_TRIES
from triage.publish.github.rights import PERMISSIONS
from triage.terms import Button
from triage.webhooks.forks import MOST_ARTIFACTS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "github.md").read_text()


@pytest.mark.parametrize("button", Button)
def test_every_button_is_explained(button: Button) -> None:
    assert f"| {BUTTONS[button].label} | " in PAGE


@pytest.mark.parametrize("permission", [f"{each.name}: {each.level}" for each in PERMISSIONS])
def test_every_permission_says_what_it_is_for(permission: str) -> None:
    assert f"| `{permission}`" in PAGE


@pytest.mark.parametrize("conclusion", sorted({*CONCLUSIONS.values()}))
def test_every_conclusion_is_in_the_table(conclusion: str) -> None:
    assert f"`{conclusion}`" in PAGE.split("## The comment")[0]


def test_the_limits_are_those_that_hold() -> None:
    words = " ".join(PAGE.split())
    assert f"Up to {MOST_ANNOTATIONS} annotations" in words
    assert f"after {MOST_TRIES} tries" in words
    assert f"{MOST_ARTIFACTS} artifacts and 64 MB" in words
    assert LONGEST_SILENCE.total_seconds() == 6 * 3_600
    assert "for six hours is given up" in words
