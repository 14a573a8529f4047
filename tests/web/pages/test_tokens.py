"""A repository's page of tokens."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.web.builders import REPO, make_repository
from triage.models import AuditEntry, Membership, Repository, Token
from triage.terms import Role
from triage.upload.tokens import create_token, digest_of
from triage.web.pages.tokens import TOKENS_PER_PAGE

pytestmark = pytest.mark.django_db

PATH = f"/repositories/{REPO}/tokens/"
FORM = {"name": "GitHub Actions", "scopes": ["upload", "read"], "days": "90"}


@pytest.fixture
def repository() -> Repository:
    """Return a repository without tokens."""
    return make_repository()


@pytest.fixture
def admin(repository: Repository) -> Client:
    """Return the client of an admin of the repository, and of no other."""
    return member(repository, Role.ADMIN)


def member(repository: Repository, role: Role) -> Client:
    """Return the client of somebody with a role."""
    user = User.objects.create_user(f"{role}-of-{repository.pk}")
    Membership.objects.create(repository=repository, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


def shown(response: Any) -> str:
    """Return a page's text."""
    return unescape(response.content.decode()).replace("\u00a0", " ")


def secrets_of(page: str) -> list[str]:
    """Return every secret that a page shows."""
    return re.findall(r"tbk_[\w-]{43}", page)


def changes() -> list[tuple[str, str, str]]:
    """Return the log of changes: who, action, subject."""
    return list(AuditEntry.objects.order_by("pk").values_list("who", "action", "subject"))


def test_a_repository_without_tokens_says_how_to_make_one(admin: Client) -> None:
    page = shown(admin.get(PATH))

    assert "There is no token yet." in page
    assert f"tiebreak create_token {REPO}" in page


def test_a_token_is_made_and_its_secret_shown_once(admin: Client) -> None:
    answer = admin.post(PATH, FORM)

    (secret,) = secrets_of(shown(answer))
    token = Token.objects.get()
    assert (token.digest, token.scopes) == (digest_of(secret), ["upload", "read"])
    assert token.expires_at is not None
    assert timedelta(days=89) < token.expires_at - timezone.now() < timedelta(days=91)
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    page = shown(admin.get(PATH))
    assert secrets_of(page) == []
    assert "GitHub Actions" in page
    (who, *change) = changes()[0]
    assert (who, change) == (token.created_by, ["token_made", "GitHub Actions"])
    assert secret not in str(AuditEntry.objects.get().detail)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"name": ""}, "This field is required"),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"name": "a\u202eb"}, "printable characters"),
        ({"scopes": []}, "Choose at least one thing"),
        ({"scopes": ["delete"]}, "Select a valid choice"),
        ({"days": "7"}, "Select a valid choice"),
    ],
)
def test_what_is_wrong_is_said_and_makes_nothing(
    admin: Client, changed: dict[str, Any], problem: str
) -> None:
    answer = admin.post(PATH, FORM | changed)

    assert answer.status_code == 400
    assert problem in shown(answer)
    assert not Token.objects.exists()
    assert changes() == []


def test_a_new_secret_leaves_the_old_one_its_grace_time(
    admin: Client, repository: Repository
) -> None:
    old = create_token(repository, "ci")
    token = Token.objects.get()

    answer = admin.post(f"{PATH}{token.pk}/rotate/", {"grace": "24"})

    (secret,) = secrets_of(shown(answer))
    token.refresh_from_db()
    assert (token.digest, token.previous_digest) == (digest_of(secret), digest_of(old))
    assert "no-store" in answer["Cache-Control"]
    assert "The old secret works until" in shown(admin.get(PATH))
    assert changes()[0][1:] == ("token_rotated", "ci")
    assert AuditEntry.objects.get().detail == {"grace_hours": 24}


def test_a_job_that_still_has_the_old_secret_is_seen(admin: Client, repository: Repository) -> None:
    old = create_token(repository, "ci")
    admin.post(f"{PATH}{Token.objects.get().pk}/rotate/", {"grace": "24"})
    assert "still used the old secret" not in shown(admin.get(PATH))

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        Client().get("/api/v1/runs", headers={"Authorization": f"Bearer {old}"})

    assert "still used the old secret" in shown(admin.get(PATH))


def test_a_revoked_token_is_shown_as_such_and_can_be_changed_no_more(
    admin: Client, repository: Repository
) -> None:
    create_token(repository, "ci")
    token = Token.objects.get()

    assert admin.post(f"{PATH}{token.pk}/revoke/").status_code == 302
    admin.post(f"{PATH}{token.pk}/revoke/")
    refused = admin.post(f"{PATH}{token.pk}/rotate/", {"grace": "24"})

    page = shown(admin.get(PATH))
    assert "revoked" in page
    assert f"/{token.pk}/rotate/" not in page
    assert (refused.status_code, secrets_of(shown(refused))) == (400, [])
    assert "was revoked on" in shown(refused)
    assert [each[1] for each in changes()] == ["token_revoked"]


def test_states_are_told_in_words(admin: Client, repository: Repository) -> None:
    now = timezone.now()
    create_token(repository, "long", expires_at=now + timedelta(days=200))
    create_token(repository, "short", expires_at=now + timedelta(days=3))
    create_token(repository, "past", expires_at=now + timedelta(days=1))
    Token.objects.filter(name="past").update(expires_at=now - timedelta(days=1))

    page = shown(admin.get(PATH))

    assert [page.count(f"</svg>{word}<") for word in ("in force", "ends soon", "expired")] == [
        1,
        1,
        1,
    ]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER, Role.DECIDER])
def test_only_an_admin_sees_and_changes_tokens(repository: Repository, role: Role) -> None:
    create_token(repository, "ci")
    token = Token.objects.get()
    before = Token.objects.values().get()

    for client, refusal in ((member(repository, role), 403), (Client(), 302)):
        answers = [
            client.get(PATH),
            client.post(PATH, FORM),
            client.post(f"{PATH}{token.pk}/rotate/", {"grace": "0"}),
            client.post(f"{PATH}{token.pk}/revoke/"),
        ]
        assert [each.status_code for each in answers] == [refusal] * 4
    assert Token.objects.values().get() == before
    assert changes() == []


def test_a_token_of_another_repository_is_not_there(admin: Client) -> None:
    other = make_repository("acme/other")
    create_token(other, "theirs")
    token = Token.objects.get()

    assert admin.post(f"{PATH}{token.pk}/revoke/").status_code == 404
    assert admin.post(f"{PATH}{token.pk}/rotate/", {"grace": "0"}).status_code == 404
    assert admin.get("/repositories/acme/other/tokens/").status_code == 404
    assert Token.objects.get().revoked_at is None


def test_many_tokens_come_in_pages(admin: Client, repository: Repository) -> None:
    for number in range(TOKENS_PER_PAGE + 1):
        create_token(repository, f"ci-{number}")

    page = shown(admin.get(PATH))
    assert (page.count("/revoke/"), "ci-0 " in page) == (TOKENS_PER_PAGE, False)
    assert shown(admin.get(f"{PATH}?page=2")).count("/revoke/") == 1


@pytest.mark.browser
@pytest.mark.parametrize("width", [375, 1440])
def test_a_person_makes_and_rotates_a_token_with_the_keyboard(
    transactional_db: None, browser_page: Any, take_screenshot: Any, live_server: Any, width: int
) -> None:
    cookie = member(make_repository(), Role.ADMIN).cookies["sessionid"].value
    browser_page.context.add_cookies(
        [{"name": "sessionid", "value": cookie, "url": str(live_server)}]
    )
    browser_page.set_viewport_size({"width": width, "height": 900})
    browser_page.goto(PATH)

    browser_page.get_by_label("Name").fill("GitHub Actions")
    browser_page.keyboard.press("Enter")
    made = browser_page.inner_text(".secret code")
    browser_page.locator("summary").first.focus()
    browser_page.keyboard.press("Enter")
    browser_page.get_by_role("button", name="Make a new secret").press("Enter")
    browser_page.wait_for_url("**/rotate/")

    assert browser_page.inner_text(".secret code") not in {"", made}
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= width
    take_screenshot(f"tokens-{width}")
    browser_page.emulate_media(color_scheme="dark")
    browser_page.locator("summary").first.click()
    browser_page.locator("summary").last.click()
    take_screenshot(f"tokens-{width}-dark")
