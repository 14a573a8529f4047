"""Mutes on the pages of a case and its repository."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.web.builders import REPO, make_case, make_repository
from tests.web.pages.reading import html, text
from tests.web.people import member, sign_in_member
from triage.models import Case, Mute
from triage.verdict.muting import MuteRequest, mute_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(settings: Any) -> Client:
    """A client of somebody who may change the repository."""
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "tests.web.people.signed_in_as_ada"]
    return Client()


def form(days: int = 10, **told: str) -> dict[str, str]:
    last_day = (timezone.now() + timedelta(days=days)).date()
    return {"owner": "@acme/refunds", "reason": "rollout", "until": last_day.isoformat()} | told


def muted_case(title: str = "tests/test_refunds.py::test_a") -> Case:
    case = make_case(make_repository(), title)
    asked = MuteRequest("@acme/refunds", "<b>rollout</b>", timezone.now() + timedelta(days=9))
    mute_case(case, asked, "bob")
    return case


def test_a_muted_case_says_until_when_for_whom_and_why() -> None:
    case = muted_case()

    page = text(f"/cases/{case.pk}/")

    until = Mute.objects.get().until
    assert f"Muted until {until.day} {until:%b %Y %H:%M} UTC by bob for @acme/refunds" in (
        page.replace("<bdi>", "").replace("</bdi>", "")
    )
    assert "Label flips block as ever" in page
    assert "<b>rollout" not in html(f"/cases/{case.pk}/")


def test_the_repository_lists_its_muted_cases_with_their_end() -> None:
    case = muted_case()

    page = text(f"/r/{REPO}/")

    section = page.split('id="mutes"')[1].split("</section>")[0]
    assert f"/cases/{case.pk}/#mute" in section
    assert "in 1 week" in section
    assert "@acme/refunds" in section


def test_a_repository_without_mutes_says_nothing_of_them() -> None:
    make_repository()

    assert "Muted cases" not in text(f"/r/{REPO}/")


def test_a_case_without_an_llm_call_offers_no_mute() -> None:
    case = make_case(make_repository())
    Case.objects.update(is_llm=False)

    assert 'id="mute"' not in html(f"/cases/{case.pk}/")


def test_whoever_is_no_decider_mutes_and_unmutes_nothing() -> None:
    case = muted_case()
    other = make_case(case.repository, "other")

    for who, status in ((Client(), 302), (member(), 403)):
        assert who.post(f"/cases/{other.pk}/mute/", form()).status_code == status
        assert who.post(f"/cases/{case.pk}/unmute/").status_code == status
    assert Mute.objects.get().ended_at is None
    assert "Sign in to mute" in text(f"/cases/{other.pk}/")


def test_a_person_mutes_a_case_to_the_end_of_a_day_and_ends_it(ada: Client) -> None:
    case = make_case(make_repository())

    answer = ada.post(f"/cases/{case.pk}/mute/", form())

    assert (answer.status_code, answer["Location"]) == (302, f"/cases/{case.pk}/#mute")
    mute = Mute.objects.get()
    assert (mute.owner, mute.reason, mute.created_by) == ("@acme/refunds", "rollout", "ada")
    assert f"{mute.until:%H:%M}" == "23:59"
    for _ in range(2):
        assert ada.post(f"/cases/{case.pk}/unmute/").status_code == 302
    mute.refresh_from_db()
    assert mute.ended_by == "ada"


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        (form(days=31), "until must lie within the next 30 days"),
        (form(days=-1), "until must lie within the next 30 days"),
        (form(owner=""), "This field is required."),
        (form(reason="x" * 301), "at most 300 characters"),
        (form(until="soon"), "Enter a valid date."),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_is_kept(
    ada: Client, told: dict[str, str], problem: str
) -> None:
    case = make_case(make_repository())

    answer = ada.post(f"/cases/{case.pk}/mute/", told)

    assert answer.status_code == 400
    assert problem in answer.content.decode()
    assert f'value="{told["owner"] or told["reason"]}"' in answer.content.decode()
    assert not Mute.objects.exists()


def test_a_refusal_by_the_cap_has_the_numbers(ada: Client) -> None:
    case = muted_case()
    other = make_case(case.repository, "other")

    answer = ada.post(f"/cases/{other.pk}/mute/", form())

    assert answer.status_code == 400
    assert "1 of 1 muted (5 % of 2 LLM cases, at least 1)" in answer.content.decode()


@pytest.mark.parametrize("action", ["mute", "unmute"])
def test_a_case_that_is_not_there_cannot_be_muted(ada: Client, action: str) -> None:
    assert ada.post(f"/cases/999999/{action}/", form()).status_code == 404


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 1440])
def test_a_browser_shows_a_mute_whole_at_every_width(
    live_server: Any,
    browser_page: Any,
    take_screenshot: Callable[[str], Path],
    width: int,
) -> None:
    case = muted_case()
    browser_page.set_viewport_size({"width": width, "height": 900})

    sign_in_member(browser_page, live_server.url)
    browser_page.goto(f"/r/{REPO}/")
    take_screenshot(f"mutes-{width}")
    browser_page.get_by_role("link", name="test_a").click()

    browser_page.wait_for_url(f"**/cases/{case.pk}/#mute")
    assert "Muted until" in browser_page.inner_text("main")
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= width
    assert take_screenshot(f"muted-{width}").stat().st_size > 10_000
