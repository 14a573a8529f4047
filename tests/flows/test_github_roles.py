"""Roles by GitHub's permission: who gets which, what was given here stays, the log keeps it all."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.flows.github import deliver, set_up
from tests.flows.signing_in import OCTO, be, problem, sign_in
from tests.flows.suites import REPO, sha
from tests.servers.github.server import fake_github
from tests.servers.github.world import RefusalError, World
from triage.access.github_accounts import GitHubPerson, connect
from triage.access.invitations import invite
from triage.models import AuditEntry, ForgeRole, GitHubRepository, Membership, Repository
from triage.terms import Role

pytestmark = pytest.mark.django_db(transaction=True)
OTHER = "acme/other"
PAGE = f"/r/{REPO}/"
SETTINGS = f"/repositories/{REPO}/settings/members/"


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Return a GitHub whose App is installed in two repositories, with octo before the browser."""
    with fake_github(getattr(request, "param", "/api/v3")) as made:
        made.add_repository(OTHER, sha(1))
        set_up(made, sha(1))
        User.objects.create_superuser("root")
        be(made)
        yield made
        assert made.violations() == []


def permit(world: World, permission: str, repo: str = REPO) -> None:
    """Give octo a permission on GitHub."""
    world.repositories[repo].people["octo"] = permission


def logged() -> list[tuple[str, str, dict[str, str]]]:
    """Return what the log tells of roles by GitHub."""
    entries = AuditEntry.objects.filter(who="GitHub", action__startswith="forge_role")
    return list(entries.order_by("pk").values_list("action", "subject", "detail"))


@pytest.mark.parametrize("world", ["", "/api/v3"], ids=["github.com", "enterprise"], indirect=True)
def test_who_may_read_on_github_gets_an_account_and_reads_here(world: World) -> None:
    permit(world, "read")
    client = Client()

    assert sign_in(client, PAGE)["Location"] == PAGE

    octo = User.objects.get(username="octo")
    assert not octo.has_usable_password() and not octo.email
    assert client.get(PAGE).status_code == 200
    assert client.get(f"/r/{OTHER}/").status_code == 404
    assert "by your permission on GitHub" in client.get("/account/").content.decode()
    assert logged() == [("forge_role_given", "octo", {"role": "viewer"})]


@pytest.mark.parametrize(
    ("permission", "role"),
    [
        ("read", Role.VIEWER),
        ("triage", Role.MEMBER),
        ("write", Role.MEMBER),
        ("maintain", Role.DECIDER),
        ("admin", Role.ADMIN),
    ],
)
def test_each_permission_is_worth_its_role(world: World, permission: str, role: Role) -> None:
    permit(world, permission)

    sign_in(Client())

    assert ForgeRole.objects.get().role == role


def test_a_permission_that_changed_or_went_is_followed_at_the_next_sign_in(world: World) -> None:
    permit(world, "admin")
    permit(world, "read", OTHER)
    client = Client()
    sign_in(client)
    assert client.get(SETTINGS).status_code == 200

    permit(world, "read")
    permit(world, "none", OTHER)
    sign_in(client)

    assert client.get(SETTINGS).status_code == 403
    assert ForgeRole.objects.get().repository.full_name == REPO
    assert logged()[2:] == [
        ("forge_role_taken", "octo", {"before": "viewer"}),
        ("forge_role_given", "octo", {"role": "viewer", "before": "admin"}),
    ]


def test_signing_in_again_confirms_what_is_the_same_and_is_no_news(world: World) -> None:
    permit(world, "read")
    permit(world, "admin", OTHER)
    sign_in(Client())
    before = timezone.now()
    ForgeRole.objects.update(asked_at=before)

    sign_in(Client())

    assert ForgeRole.objects.filter(confirmed_at__gt=before, asked_at=None).count() == 2
    assert len(logged()) == 2


def test_a_role_that_was_given_here_is_neither_lowered_nor_taken(world: World) -> None:
    octo = User.objects.create_user("ada", password="correct horse battery")
    connect(octo, GitHubPerson(world.web, str(OCTO), "octo"))
    Membership.objects.create(
        repository=Repository.objects.get(full_name=REPO), user=octo, role=Role.ADMIN
    )
    permit(world, "read")
    client = Client()
    sign_in(client)
    assert client.get(SETTINGS).status_code == 200

    permit(world, "none")
    sign_in(client)

    assert not ForgeRole.objects.exists()
    assert client.get(SETTINGS).status_code == 200


def test_the_higher_one_of_two_roles_counts(world: World) -> None:
    octo = User.objects.create_user("ada")
    connect(octo, GitHubPerson(world.web, str(OCTO), "octo"))
    Membership.objects.create(
        repository=Repository.objects.get(full_name=REPO), user=octo, role=Role.VIEWER
    )
    permit(world, "admin")
    client = Client()
    sign_in(client)

    page = client.get(SETTINGS).content.decode()

    assert "<bdi>ada</bdi> as admin, confirmed" in page
    assert Membership.objects.get().role == Role.VIEWER


def test_who_reaches_nothing_here_gets_no_account(world: World) -> None:
    client = Client()

    assert "No account here" in problem(client, sign_in(client))
    assert not User.objects.filter(username="octo").exists()


def test_a_repository_that_the_app_has_left_gives_no_role(world: World) -> None:
    permit(world, "admin")
    GitHubRepository.objects.update(removed_at="2026-01-01T00:00:00Z")
    client = Client()

    assert "No account here" in problem(client, sign_in(client))


def test_before_there_is_an_operator_github_makes_no_account(world: World) -> None:
    User.objects.all().delete()
    permit(world, "admin")
    client = Client()

    assert "No account here" in problem(client, sign_in(client))
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["root", "Root", "guest"])
def test_nobody_gets_a_name_that_is_taken_or_promised(world: World, name: str) -> None:
    invite("guest", None, Role.ADMIN)
    be(world, name, 666)
    world.repositories[REPO].people[name] = "read"
    client = Client()

    sign_in(client)

    assert f"Signed in as <bdi>{name}+666</bdi>" in client.get("/").content.decode()
    assert not User.objects.get(username=f"{name}+666").is_superuser


def test_connecting_brings_roles_and_disconnecting_takes_them(world: World) -> None:
    permit(world, "admin")
    client = Client()
    client.force_login(User.objects.create_user("ada", password="correct horse battery"))
    sign_in(client)
    assert client.get(SETTINGS).status_code == 200

    client.post("/account/github/disconnect/")

    assert client.get(SETTINGS).status_code == 404
    assert logged()[-1] == ("forge_role_taken", "ada", {"before": "admin"})


def test_while_github_tells_no_roles_the_known_ones_count(world: World) -> None:
    permit(world, "read")
    sign_in(Client())
    client = Client()
    world.faults.append(("GET /user/installations", RefusalError(502, "Server Error"), False))

    assert sign_in(client, PAGE)["Location"] == PAGE
    assert client.get(PAGE).status_code == 200

    client = Client()
    be(world, "hubot", 7)
    world.repositories[REPO].people["hubot"] = "read"
    world.faults.append(("GET /user/installations", RefusalError(502, "Server Error"), False))
    assert "cannot be reached" in problem(client, sign_in(client))


def test_more_repositories_than_a_page_holds_are_all_found(world: World) -> None:
    for number in range(101):
        world.add_repository(f"acme/many-{number}", sha(1)).people["octo"] = "read"
    told = [{"id": each.id, "full_name": each.full_name} for each in world.repositories.values()]
    assert deliver("installation", {"action": "created", "repositories": told}) == 202

    sign_in(Client())

    assert ForgeRole.objects.count() == 101
