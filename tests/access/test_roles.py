"""Roles: each covers the ones before it, in its own repository only."""

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.test import RequestFactory

from triage.access.roles import may, require, role_of
from triage.models import Membership
from triage.terms import Role
from triage.upload.acceptance import find_or_add_repository

pytestmark = pytest.mark.django_db


def asked_by(user: User | AnonymousUser) -> HttpRequest:
    """Return a request of a person."""
    request = RequestFactory().get("/")
    request.user = user
    return request


def member(role: Role, repo: str = "acme/a") -> HttpRequest:
    """Return a request of a member."""
    user = User.objects.create_user(f"{role}-{repo}")
    Membership.objects.create(repository=find_or_add_repository(repo), user=user, role=role)
    return asked_by(user)


@pytest.mark.parametrize("held", list(Role))
@pytest.mark.parametrize("wanted", list(Role))
def test_a_role_covers_itself_and_the_ones_before_it(held: Role, wanted: Role) -> None:
    order = list(Role)

    assert may(member(held), find_or_add_repository("acme/a"), wanted) == (
        order.index(held) >= order.index(wanted)
    )


def test_a_role_holds_in_its_own_repository_only() -> None:
    assert role_of(member(Role.ADMIN), find_or_add_repository("acme/b")) is None


def test_an_administrator_of_the_installation_may_do_everything() -> None:
    request = asked_by(User.objects.create_superuser("root"))

    assert may(request, find_or_add_repository("acme/a"), Role.ADMIN)


def test_nobody_and_whoever_was_shut_out_may_do_nothing() -> None:
    repository = find_or_add_repository("acme/a")
    request = member(Role.ADMIN)
    assert isinstance(request.user, User)
    request.user.is_active = False

    assert not may(request, repository, Role.VIEWER)
    with pytest.raises(PermissionDenied, match="Sign in"):
        require(asked_by(AnonymousUser()), repository, Role.VIEWER)


def test_a_role_that_does_not_suffice_is_named() -> None:
    with pytest.raises(PermissionDenied, match="the role decider in acme/a"):
        require(member(Role.MEMBER), find_or_add_repository("acme/a"), Role.DECIDER)
