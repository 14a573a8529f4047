"""Roles by GitHub are confirmed in the background, as the App; no page waits for it."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.flows.github import deliver, set_up
from tests.flows.signing_in import be, problem, sign_in
from tests.flows.suites import REPO, sha
from tests.servers.github.server import fake_github
from tests.servers.github.world import RefusalError, World
from triage.models import AuditEntry, ForgeRole, GitHubRepository
from triage.tasks import renew_roles
from triage.terms import Role

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = f"/r/{REPO}/"
PASSWORD = "correct horse battery"
DOWN = (r"GET /repos/.*/permission", RefusalError(502, "Server Error"), False)


@pytest.fixture
def world() -> Iterator[World]:
    """Return a GitHub on which octo administers the repository."""
    with fake_github("/api/v3") as made:
        set_up(made, sha(1))
        User.objects.create_superuser("root")
        be(made)
        made.repositories[REPO].people["octo"] = "admin"
        yield made
        assert made.violations() == []


@pytest.fixture
def octo(world: World) -> Client:
    """Return the browser of octo, signed in."""
    client = Client()
    sign_in(client)
    return client


def later(**told: float) -> time_machine.travel:
    """Let some time have passed."""
    return time_machine.travel(timezone.now() + timedelta(**told))


def test_within_an_hour_nothing_is_asked(world: World, octo: Client) -> None:
    with later(minutes=59):
        octo.get(PAGE)

    assert not ForgeRole.objects.filter(asked_at__isnull=False).exists()


@pytest.mark.parametrize("page", ["/", PAGE, "/repositories/acme/unknown/cases/"])
def test_a_request_an_hour_later_asks_once_and_waits_for_nothing(
    world: World, octo: Client, page: str
) -> None:
    before = len(world.log)
    with later(minutes=61):
        octo.get(page)
        asked = ForgeRole.objects.get().asked_at
        octo.get(page)

    assert asked is not None
    assert ForgeRole.objects.get().asked_at == asked
    assert len(world.log) == before


@pytest.mark.parametrize(
    ("permission", "role"), [("maintain", Role.DECIDER), ("read", Role.VIEWER), ("none", None)]
)
def test_a_permission_that_changed_is_followed_in_the_background(
    world: World, octo: Client, permission: str, role: Role | None
) -> None:
    world.repositories[REPO].people["octo"] = permission
    with later(minutes=61):
        assert octo.get(PAGE).status_code == 200
        renew_roles()
        assert octo.get(PAGE).status_code == (200 if role else 404)

    held = ForgeRole.objects.first()
    assert (held.role if held else None) == role
    entry = AuditEntry.objects.filter(action__startswith="forge_role").latest("pk")
    expected = {"role": str(role), "before": "admin"} if role else {"before": "admin"}
    assert (entry.subject, entry.detail) == ("octo", expected)


def test_a_role_that_is_confirmed_counts_on_and_is_no_news(world: World, octo: Client) -> None:
    for hours in (2, 26, 50):
        with later(hours=hours):
            octo.get("/")
            renew_roles()
            assert octo.get(PAGE).status_code == 200

    assert AuditEntry.objects.filter(who="GitHub").count() == 1


def test_a_github_that_is_down_keeps_roles_for_a_day_more(world: World, octo: Client) -> None:
    with later(hours=1):
        octo.get(PAGE)
    for hours, status in ((2, 200), (24, 200), (25.1, 404)):
        world.faults.append(DOWN)
        with later(hours=hours):
            renew_roles()
            assert octo.get(PAGE).status_code == status

    entry = AuditEntry.objects.filter(who="GitHub").latest("pk")
    assert (entry.action, entry.detail) == ("forge_role_taken", {"before": "admin"})


def test_who_was_away_for_days_is_told_and_comes_back_by_either_way(
    world: World, octo: Client
) -> None:
    with later(days=3):
        answer = octo.get(PAGE)
        assert "come back in a minute" in problem(octo, answer)
        assert f"next={PAGE}" in answer["Location"]
        assert sign_in(octo, PAGE)["Location"] == PAGE
        assert octo.get(PAGE).status_code == 200
    with later(days=6):
        assert octo.get(PAGE).status_code == 302
        renew_roles()
        assert octo.get(PAGE).status_code == 200


def test_somebody_else_under_the_old_name_gives_nothing(world: World, octo: Client) -> None:
    world.accounts["octo"] = (999, None)
    with later(hours=2):
        octo.get(PAGE)
        renew_roles()

    assert not ForgeRole.objects.exists()


def test_who_was_sent_away_from_a_public_repository_has_no_role_any_more(
    world: World, octo: Client
) -> None:
    world.repositories[REPO].is_public = True
    world.repositories[REPO].people["octo"] = "none"
    with later(hours=2):
        octo.get(PAGE)
        renew_roles()

    assert not ForgeRole.objects.exists()


def test_a_role_of_an_organisation_s_own_counts_as_what_it_is_built_on(
    world: World, octo: Client
) -> None:
    world.repositories[REPO].people["octo"] = "labeller"
    with later(hours=2):
        octo.get(PAGE)
        renew_roles()

    assert ForgeRole.objects.get().role == Role.MEMBER


def test_a_repository_that_the_app_has_left_gives_no_role_any_more(
    world: World, octo: Client
) -> None:
    left = [{"id": world.repositories[REPO].id, "full_name": REPO}]
    body = {"action": "removed", "repositories_removed": left, "repositories_added": []}
    assert deliver("installation_repositories", body) == 202
    assert GitHubRepository.objects.get().removed_at is not None
    with later(hours=2):
        octo.get(PAGE)
        renew_roles()

    assert not ForgeRole.objects.exists()


def test_who_comes_in_by_password_has_the_roles_of_the_connected_account_confirmed(
    world: World,
) -> None:
    client = Client()
    ada = User.objects.create_user("ada", password=PASSWORD)
    client.force_login(ada)
    sign_in(client)
    world.repositories[REPO].people["octo"] = "none"
    with later(hours=2):
        other = Client()
        other.post("/sign-in/", {"name": "ada", "password": PASSWORD})
        other.get(PAGE)
        renew_roles()

        assert other.get(PAGE).status_code == 404


def test_a_github_that_fails_is_not_asked_for_everybody(world: World, octo: Client) -> None:
    for number in range(5):
        held = ForgeRole.objects.get(user__username="octo")
        held.pk, held.user = None, User.objects.create_user(f"copy-{number}")
        held.save()
    connected = User.objects.exclude(username__in=["root", "octo"])
    for number, user in enumerate(connected):
        world.accounts[user.username] = (7_000 + number, None)
        user.socialaccount_set.create(
            provider=world.web, uid=str(7_000 + number), extra_data={"login": user.username}
        )
    ForgeRole.objects.update(asked_at=timezone.now())
    world.faults += [DOWN] * 6
    before = len(world.log)

    renew_roles()

    asked = [each for each in list(world.log)[before:] if each[1].endswith("/permission")]
    assert len(asked) == 3
    world.faults.clear()
