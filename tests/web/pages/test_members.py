"""The pages of members and of the log of changes."""

import csv
import io
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from tests.web.builders import REPO, make_repository
from triage.models import AuditEntry, Invitation, Membership, Repository
from triage.terms import Role

pytestmark = pytest.mark.django_db

SETTINGS = f"/repositories/{REPO}/settings/"
MEMBERS, CHANGES = f"{SETTINGS}members/", f"{SETTINGS}changes/"
PASSWORD = "correct horse battery"


def join(name: str, role: Role) -> Membership:
    """Give somebody with an account a role."""
    user = User.objects.create_user(name, password=PASSWORD)
    return Membership.objects.create(repository=Repository.objects.get(), user=user, role=role)


@pytest.fixture
def admin() -> Client:
    """The client of the only admin, ada."""
    make_repository()
    client = Client()
    client.force_login(join("ada", Role.ADMIN).user)
    return client


def text(response: HttpResponse) -> str:
    """Return what an answer shows."""
    return unescape(response.content.decode())


def test_a_person_is_let_in_by_a_link_that_is_shown_once(admin: Client) -> None:
    answer = admin.post(MEMBERS, {"name": "bob", "role": "decider"})
    link = text(answer).split("/invitations/")[1].split("/")[0]

    assert answer["Cache-Control"] == "no-store"
    assert "bob as decider, by ada" in text(admin.get(MEMBERS)).replace("<bdi>", "").replace(
        "</bdi>", ""
    )
    assert link not in text(admin.get(MEMBERS))
    assert Client().post(f"/invitations/{link}/", {"password": PASSWORD}).status_code == 302
    assert Membership.objects.get(user__username="bob").role == Role.DECIDER


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ({"name": "", "role": "viewer"}, "This field is required"),
        ({"name": "a b<script>", "role": "viewer"}, "Enter a valid username"),
        ({"name": "bob", "role": "owner"}, "owner is not one of the available choices"),
        ({"name": "ada", "role": "viewer"}, "ada has a role already"),
    ],
)
def test_what_is_wrong_with_an_invitation_is_said(
    admin: Client, told: dict[str, str], problem: str
) -> None:
    answer = admin.post(MEMBERS, told)

    assert answer.status_code == 400
    assert problem in text(answer)
    assert not Invitation.objects.exists()


def test_roles_change_and_people_go_and_the_log_keeps_both(admin: Client) -> None:
    bob = join("bob", Role.VIEWER)

    assert admin.post(f"{MEMBERS}{bob.pk}/role/", {"role": "member"}).status_code == 302
    assert admin.post(f"{MEMBERS}{bob.pk}/remove/").status_code == 302
    assert admin.post(f"{MEMBERS}{bob.pk}/remove/").status_code == 404

    kept = AuditEntry.objects.order_by("pk").values_list("action", "who", "subject", "detail")
    assert list(kept) == [
        ("member_role_changed", "ada", "bob", {"role": "member"}),
        ("member_removed", "ada", "bob", {"role": "member"}),
    ]


def test_the_last_admin_is_told_why_they_stay(admin: Client) -> None:
    ada = Membership.objects.get()

    removed = admin.post(f"{MEMBERS}{ada.pk}/remove/")
    lowered = admin.post(f"{MEMBERS}{ada.pk}/role/", {"role": "viewer"})
    wrong = admin.post(f"{MEMBERS}{ada.pk}/role/", {"role": "owner"})

    assert [each.status_code for each in (removed, lowered, wrong)] == [400] * 3
    assert "ada is the last admin" in text(removed)
    assert "must be one of viewer, member, decider, admin" in text(wrong)
    assert Membership.objects.get().role == Role.ADMIN
    assert not AuditEntry.objects.exists()


def test_an_invitation_is_withdrawn(admin: Client) -> None:
    admin.post(MEMBERS, {"name": "bob", "role": "viewer"})
    path = f"{SETTINGS}invitations/{Invitation.objects.get().pk}/withdraw/"

    assert admin.post(path).status_code == 302
    assert admin.post(path).status_code == 404
    assert "Invited" not in text(admin.get(MEMBERS))


def fill_log(count: int = 1, **told: Any) -> None:
    """Add entries to the log."""
    entry = {"repository": Repository.objects.get(), "who": "bob", "action": "muted"} | told
    AuditEntry.objects.bulk_create(AuditEntry(**entry) for _ in range(count))


def test_the_log_is_narrowed_to_a_kind_and_a_person(admin: Client) -> None:
    fill_log(subject="case of bob")
    fill_log(subject="case of eve", who="eve")
    fill_log(subject="question of bob", action="decided")

    page = text(admin.get(CHANGES, {"who": "bob", "action": "muted"}))

    assert "case of bob" in page
    assert "case of eve" not in page
    assert "question of bob" not in page
    assert "No change fits this filter" in text(admin.get(CHANGES, {"who": "nobody"}))


def test_the_log_holds_nothing_of_another_repository(admin: Client) -> None:
    other = Repository.objects.create(full_name="acme/other")
    AuditEntry.objects.create(repository=other, who="eve", action="muted", subject="secret")

    assert "Nobody changed anything here yet" in text(admin.get(CHANGES))


def test_a_long_log_has_pages_that_keep_the_filter(
    admin: Client, django_assert_num_queries: Callable[[int], Any]
) -> None:
    fill_log(51)
    fill_log(1, who="eve")

    page = text(admin.get(CHANGES, {"who": "bob", "page": "2"}))
    assert "Page 2 of 2 (51 changes)" in page
    assert "?who=bob&page=1" in page
    assert 'changes.csv?who=bob"' in page
    with django_assert_num_queries(8):
        admin.get(CHANGES)


def test_the_log_is_sent_as_csv_in_which_no_cell_is_a_formula(admin: Client) -> None:
    fill_log(subject='=HYPERLINK("http://evil.example")', detail={"kind": "a,b"})
    fill_log(who="eve")

    answer = admin.get(f"{CHANGES[:-1]}.csv", {"who": "bob"})
    body = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    rows = list(csv.DictReader(io.StringIO(body)))

    assert answer["Content-Disposition"] == 'attachment; filename="changes-acme-support-bot.csv"'
    assert [row["who"] for row in rows] == ["bob"]
    assert rows[0]["subject"] == '\'=HYPERLINK("http://evil.example")'
    assert rows[0]["detail"] == '{"kind": "a,b"}'


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1440])
def test_a_browser_shows_settings_whole_at_every_width(
    live_server: Any,
    browser_page: Any,
    take_screenshot: Callable[[str], Path],
    width: int,
    scheme: str,
) -> None:
    make_repository()
    ada, _ = join("ada", Role.ADMIN), join("somebody-with-a-long-name@example.com", Role.MEMBER)
    fill_log(3, subject="tests/evals/test_refunds.py::test_ticket[2-of-many]", detail={"a": "b"})
    client = Client()
    client.force_login(ada.user)
    client.post(MEMBERS, {"name": "bob", "role": "viewer"})
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}
    browser_page.context.add_cookies([cookie])
    browser_page.emulate_media(color_scheme=scheme)
    browser_page.set_viewport_size({"width": width, "height": 900})
    wrong: list[str] = []
    browser_page.on("console", lambda message: wrong.append(message.text))

    for link, heading in (
        ("", "Settings"),
        ("Members", "Members"),
        ("Log of changes", "Log of changes"),
    ):
        browser_page.goto(SETTINGS)
        if link:
            browser_page.get_by_role("link", name=link).click()
        browser_page.wait_for_selector(f"h1:has-text('{heading}')")
        assert browser_page.evaluate("document.documentElement.scrollWidth") <= width, heading
        name = f"{heading.lower().replace(' ', '-')}-{width}-{scheme}"
        assert take_screenshot(name).stat().st_size > 5_000
    assert wrong == []
