"""The people of a repository: let in, given another role, removed; never without an admin."""

import pytest
from django.contrib.auth.models import User

from triage.access.members import (
    add_member,
    change_role,
    members_of,
    open_invitations,
    remove_member,
    withdraw,
)
from triage.errors import InvalidRequestError, NotFoundError
from triage.models import Membership, Repository
from triage.terms import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def repository() -> Repository:
    """A repository with one admin, ada."""
    made = Repository.objects.create(full_name="acme/support-bot")
    join(made, "ada", Role.ADMIN)
    return made


def join(repository: Repository, name: str, role: Role) -> Membership:
    """Give somebody with an account a role."""
    user = User.objects.create_user(name)
    return Membership.objects.create(repository=repository, user=user, role=role)


def roles(repository: Repository) -> dict[str, str]:
    """Return everybody's role."""
    return {each.user.username: each.role for each in members_of(repository)}


def test_whoever_has_an_account_gets_the_role_at_once(repository: Repository) -> None:
    User.objects.create_user("bob")

    assert add_member(repository, "bob", Role.DECIDER, "ada") == ""
    assert roles(repository) == {"ada": "admin", "bob": "decider"}
    with pytest.raises(InvalidRequestError, match="bob has a role already"):
        add_member(repository, "bob", Role.ADMIN, "ada")


def test_whoever_has_none_gets_a_link_that_can_be_withdrawn(repository: Repository) -> None:
    link = add_member(repository, "bob", Role.VIEWER, "ada")
    (invitation,) = open_invitations(repository)

    assert "/invitations/" in link
    assert (invitation.name, invitation.invited_by) == ("bob", "ada")
    withdraw(repository, invitation.pk)
    assert open_invitations(repository) == []
    with pytest.raises(NotFoundError):
        withdraw(repository, invitation.pk)


def test_the_last_admin_stays_one(repository: Repository) -> None:
    (ada,) = members_of(repository)

    for change in (lambda: change_role(repository, ada.pk, Role.DECIDER),
                   lambda: remove_member(repository, ada.pk)):  # fmt: skip
        with pytest.raises(InvalidRequestError, match="ada is the last admin of acme/support-bot"):
            change()
    assert change_role(repository, ada.pk, Role.ADMIN).role == Role.ADMIN
    assert roles(repository) == {"ada": "admin"}


def test_an_admin_who_was_shut_out_does_not_count(repository: Repository) -> None:
    join(repository, "eve", Role.ADMIN)
    User.objects.filter(username="eve").update(is_active=False)
    ada = Membership.objects.get(user__username="ada")

    with pytest.raises(InvalidRequestError, match="last admin"):
        remove_member(repository, ada.pk)


def test_beside_another_admin_one_may_go(repository: Repository) -> None:
    bob = join(repository, "bob", Role.MEMBER)
    change_role(repository, bob.pk, Role.ADMIN)

    remove_member(repository, Membership.objects.get(user__username="ada").pk)

    assert roles(repository) == {"bob": "admin"}


def test_the_people_of_another_repository_are_out_of_reach(repository: Repository) -> None:
    other = join(Repository.objects.create(full_name="acme/other"), "bob", Role.MEMBER)

    with pytest.raises(NotFoundError):
        change_role(repository, other.pk, Role.VIEWER)
    with pytest.raises(NotFoundError):
        remove_member(repository, other.pk)
    assert Membership.objects.filter(pk=other.pk, role=Role.MEMBER).exists()
