"""Accounts: let in by a link that works once, signed in with a password, slowed down if guessed."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from triage.access.invitations import first_invitation, invite
from triage.access.throttle import MOST_FAILURES, WINDOW
from triage.models import AuditEntry, Invitation, Membership
from triage.terms import Role
from triage.upload.acceptance import find_or_add_repository

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"
REPO = "acme/support-bot"


def path_of(link: str) -> str:
    """Return the path of a link."""
    return re.sub(r"^https?://[^/]+", "", link)


def sign_in(client: Client, name: str, password: str = PASSWORD, **told: str) -> int:
    """Sign in; return the status of the answer."""
    answer = client.post("/sign-in/", {"name": name, "password": password, **told})
    return answer.status_code


def test_the_first_link_makes_an_administrator_once() -> None:
    path = path_of(first_invitation() or "")
    client = Client()

    assert client.get(path).status_code == 200
    assert client.post(path, {"password": PASSWORD}).status_code == 302
    assert User.objects.get(username="admin").is_superuser
    assert client.get(path).status_code == 404
    assert first_invitation() is None


def test_a_link_is_stored_as_a_digest_only() -> None:
    secret = invite("ada", None, Role.ADMIN).rstrip("/").rsplit("/", 1)[-1]

    assert secret not in str(Invitation.objects.values().get())


def test_an_invited_person_gets_the_role_that_was_given() -> None:
    repository = find_or_add_repository(REPO)
    path = path_of(invite("ada", repository, Role.DECIDER))

    Client().post(path, {"password": PASSWORD})

    membership = Membership.objects.get(user__username="ada")
    assert (membership.repository, membership.role) == (repository, Role.DECIDER)
    assert not membership.user.is_superuser


@pytest.mark.parametrize("password", ["short", "password1234", "adaadaadaada"])
def test_a_weak_password_makes_no_account(password: str) -> None:
    path = path_of(invite("adaadaadaada", None, Role.ADMIN))

    assert Client().post(path, {"password": password}).status_code == 400
    assert not User.objects.exists()


def two_invitations() -> tuple[str, str]:
    """Return the paths of links of two repositories for the same person."""
    paths = [
        path_of(invite("ada", find_or_add_repository(repo), role))
        for repo, role in ((REPO, Role.VIEWER), ("acme/other", Role.DECIDER))
    ]
    return paths[0], paths[1]


def test_who_was_invited_twice_takes_the_second_role_up_signed_in() -> None:
    first, second = two_invitations()
    ada = Client()
    ada.post(first, {"password": PASSWORD})

    assert "Take it up" in ada.get(second).content.decode()
    assert ada.post(second).status_code == 302

    roles = dict(Membership.objects.values_list("repository__full_name", "role"))
    assert roles == {REPO: Role.VIEWER, "acme/other": Role.DECIDER}
    assert AuditEntry.objects.filter(action="invitation_taken_up", who="ada").count() == 1
    assert ada.get(second).status_code == 404


def test_a_link_opens_no_account_that_exists() -> None:
    first, second = two_invitations()
    Client().post(first, {"password": PASSWORD})
    eve = Client()

    assert f"/sign-in/?next={second}" in eve.get(second).content.decode()
    assert eve.post(second, {"password": "another long password"}).status_code == 403
    eve.force_login(User.objects.create_user("eve"))
    assert eve.post(second, {"password": "another long password"}).status_code == 403

    assert User.objects.get(username="ada").check_password(PASSWORD)
    assert Membership.objects.count() == 1


def test_an_invitation_takes_nothing_from_who_has_more() -> None:
    repository = find_or_add_repository(REPO)
    links = [path_of(invite("ada", repository, role)) for role in (Role.ADMIN, Role.VIEWER)]
    ada = Client()

    ada.post(links[0], {"password": PASSWORD})
    ada.post(links[1])

    assert Membership.objects.get().role == Role.ADMIN


def test_an_old_link_works_no_more() -> None:
    path = path_of(invite("ada", None, Role.ADMIN))

    with time_machine.travel(timezone.now() + timedelta(days=3)):
        assert Client().get(path).status_code == 404


def test_signing_in_and_out_is_shown_and_noted() -> None:
    User.objects.create_user("ada", password=PASSWORD)
    client = Client()

    assert sign_in(client, "ada") == 302
    assert "Signed in as <bdi>ada</bdi>" in client.get("/").content.decode()
    assert client.post("/sign-out/").status_code == 302
    assert "Signed in" not in client.get("/").content.decode()
    assert AuditEntry.objects.filter(who="ada", action="signed_in").exists()


def test_a_wrong_password_says_so_without_telling_whether_the_name_exists() -> None:
    User.objects.create_user("ada", password=PASSWORD)
    client = Client()

    answers = [
        client.post("/sign-in/", {"name": name, "password": "wrong wrong wrong"})
        for name in ("ada", "nobody")
    ]

    assert {answer.status_code for answer in answers} == {400}
    assert all("do not fit together" in answer.content.decode() for answer in answers)


def test_who_guesses_has_to_wait() -> None:
    User.objects.create_user("ada", password=PASSWORD)
    client = Client()
    for _ in range(MOST_FAILURES):
        sign_in(client, "ada", "wrong wrong wrong")

    assert sign_in(client, "ada") == 429
    with time_machine.travel(timezone.now() + WINDOW + timedelta(seconds=1)):
        assert sign_in(client, "ada") == 302


@pytest.mark.parametrize("told", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_signing_in_leads_to_no_other_host(told: str) -> None:
    User.objects.create_user("ada", password=PASSWORD)

    answer = Client().post("/sign-in/", {"name": "ada", "password": PASSWORD, "next": told})

    assert answer["Location"] == "/"


def test_invitations_are_made_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    find_or_add_repository(REPO)

    call_command("invite", "ada", "--repo", REPO, "--role", "decider")

    assert "/invitations/" in capsys.readouterr().out
    assert Invitation.objects.get().role == Role.DECIDER


def test_a_name_that_is_taken_is_refused() -> None:
    User.objects.create_user("ada", password=PASSWORD)

    with pytest.raises(CommandError, match="there is an account 'ada' already"):
        call_command("invite", "ada")
