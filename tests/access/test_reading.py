"""What may be read: public repositories by everybody, the others by who has a role in them."""

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.management import call_command

from triage.access.reading import let_everybody_read, visible_repositories
from triage.models import AuditEntry, Membership, Repository
from triage.terms import Role

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _repositories() -> None:
    """There are a public and a private repository."""
    Repository.objects.create(full_name="acme/private")
    Repository.objects.create(full_name="acme/public", is_public=True)


def names(person: User | AnonymousUser) -> list[str]:
    """Return the names of what somebody may read."""
    return sorted(visible_repositories(person).values_list("full_name", flat=True))


def join(user: User, role: Role = Role.VIEWER) -> None:
    """Give somebody a role in every repository."""
    for repository in Repository.objects.all():
        Membership.objects.create(repository=repository, user=user, role=role)


def test_a_new_repository_is_private() -> None:
    assert not Repository.objects.create(full_name="acme/new").is_public


@pytest.mark.parametrize("person", [AnonymousUser(), User(pk=9, is_active=True)])
def test_whoever_has_no_role_reads_public_ones_only(person: User | AnonymousUser) -> None:
    assert names(person) == ["acme/public"]


@pytest.mark.parametrize("role", list(Role))
def test_every_role_reads_each_repository_once(role: Role) -> None:
    user = User.objects.create_user("ada")
    join(user, role)
    join(User.objects.create_user("bob"))

    assert names(user) == ["acme/private", "acme/public"]


def test_an_administrator_of_the_installation_reads_all() -> None:
    assert names(User.objects.create_superuser("root")) == ["acme/private", "acme/public"]


@pytest.mark.parametrize("is_superuser", [True, False])
def test_whoever_was_shut_out_reads_no_more_than_everybody(*, is_superuser: bool) -> None:
    user = User.objects.create_user("eve", is_superuser=is_superuser, is_active=False)
    join(user)

    assert names(user) == ["acme/public"]


def test_opening_says_whether_it_changed_anything() -> None:
    repository = Repository.objects.get(full_name="acme/private")

    assert let_everybody_read(repository, is_public=True)
    assert not let_everybody_read(repository, is_public=True)
    assert Repository.objects.get(pk=repository.pk).is_public


def test_the_command_opens_and_closes_and_notes_what_it_changed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for state in ("on", "on", "off"):
        call_command("public_read", "acme/private", state)

    assert capsys.readouterr().out.splitlines()[-1] == "acme/private: public read is off"
    assert list(AuditEntry.objects.order_by("pk").values_list("action", "who")) == [
        ("public_read_on", "the command line"),
        ("public_read_off", "the command line"),
    ]
