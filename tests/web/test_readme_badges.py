"""Badges for a README."""

from datetime import timedelta
from xml.etree import ElementTree

import pytest
import time_machine
from django.test import Client

from tests.flows.suites import FLIP, REPO, START, WORDING, CaseRun, history, suite, take
from tests.web.builders import make_repository
from tests.web.people import member
from triage.web.presenters.badges import Tone
from triage.web.readme_badges import BADGES, COLOURS

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _two_days_later() -> object:
    with time_machine.travel(START + timedelta(days=2)):
        yield


def address(name: str) -> str:
    """Return where a badge is."""
    return f"/repositories/{REPO}/badges/{name}.svg"


def says(name: str) -> str:
    """Return what a badge tells a screen reader."""
    image = ElementTree.fromstring(member().get(address(name)).content)
    return image.attrib["aria-label"]


def test_the_gate_tells_of_the_default_branch_alone() -> None:
    history(4)
    assert says("gate") == "LLM gate: passed"

    take(suite(4, CaseRun("test_ticket[1]", FLIP, "billing")), 20, pr=7, branch="change")
    assert says("gate") == "LLM gate: passed"

    take(suite(4, CaseRun("test_ticket[1]", FLIP, "billing")), 21)
    assert says("gate") == "LLM gate: on hold"


def test_the_budget_tells_what_is_used() -> None:
    history(4)
    take(suite(4, CaseRun("test_ticket[1]", WORDING)), 20)

    assert says("budget").startswith("flake budget: 1 of ")


def test_a_repository_without_a_run_has_badges() -> None:
    make_repository(REPO)

    assert says("gate") == "LLM gate: not judged yet"
    assert says("budget").startswith("flake budget: 0 of ")


@pytest.mark.parametrize("name", BADGES)
def test_a_badge_that_says_the_same_is_not_sent_again(name: str) -> None:
    history(4, 2)
    first = member().get(address(name))

    again = member().get(address(name), headers={"If-None-Match": first["ETag"]})

    assert (first["Content-Type"], first["Cache-Control"]) == (
        "image/svg+xml",
        "private, max-age=300",
    )
    assert (again.status_code, again.content) == (304, b"")


def test_a_badge_that_does_not_exist_is_told_with_those_that_do() -> None:
    make_repository(REPO)
    answer = member().get(address("stars"))

    assert answer.status_code == 404
    assert "There are gate, budget." in answer.content.decode()


@pytest.mark.parametrize("tone", Tone)
def test_white_text_can_be_read_on_every_colour(tone: Tone) -> None:
    channels = [int(COLOURS[tone][start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue

    assert 1.05 / (luminance + 0.05) >= 4.5


def test_the_page_of_the_repository_has_the_lines_to_paste() -> None:
    make_repository(REPO)

    page = member().get(f"/r/{REPO}/").content.decode()

    assert f"[![LLM gate](http://127.0.0.1:8000{address('gate')})]" in page


def test_everybody_sees_and_keeps_the_badge_of_a_public_repository() -> None:
    repository = make_repository(REPO)
    assert Client().get(address("gate")).status_code == 302

    repository.is_public = True
    repository.save()

    assert Client().get(address("gate"))["Cache-Control"] == "public, max-age=300"
