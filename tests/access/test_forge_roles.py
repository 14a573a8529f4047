"""Roles by a forge: what a permission is worth, and until when it counts."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import RequestFactory
from django.utils import timezone

from triage.access.following_forge import follow
from triage.access.forge_roles import COUNTS_FOR, may_press, role_on_forge
from triage.access.reading import visible_repositories
from triage.access.roles import role_of
from triage.models import Membership
from triage.terms import Role
from triage.upload.acceptance import find_or_add_repository


@pytest.mark.parametrize(
    ("permission", "role", "presses"),
    [
        ("none", None, False),
        ("read", Role.VIEWER, False),
        ("triage", Role.MEMBER, False),
        ("write", Role.MEMBER, True),
        ("maintain", Role.DECIDER, True),
        ("admin", Role.ADMIN, True),
        ("a name of theirs", None, False),
    ],
)
def test_a_permission_is_worth_a_role_and_a_press(
    permission: str, role: Role | None, *, presses: bool
) -> None:
    assert (role_on_forge(permission), may_press(permission)) == (role, presses)


@pytest.mark.django_db
def test_a_role_counts_until_it_was_not_confirmed_for_a_day() -> None:
    repository = find_or_add_repository("acme/a")
    request = RequestFactory().get("/")
    user = request.user = User.objects.create_user("ada")
    Membership.objects.create(repository=repository, user=user, role=Role.VIEWER)
    follow(repository, user, Role.ADMIN)

    now = timezone.now()
    with time_machine.travel(now + COUNTS_FOR - timedelta(minutes=1)):
        assert role_of(request, repository) == Role.ADMIN
    with time_machine.travel(now + COUNTS_FOR + timedelta(minutes=1)):
        assert role_of(request, repository) == Role.VIEWER
        Membership.objects.all().delete()
        assert role_of(request, repository) is None
        assert not visible_repositories(user).exists()
