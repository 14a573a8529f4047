"""The role that a forge's permission on a repository is worth here, and for how long.

It stands beside what was given here by hand, and neither takes anything from the other.
"""

from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from triage.models import ForgeRole
from triage.terms import Role

ROLES = {
    "admin": Role.ADMIN,
    "maintain": Role.DECIDER,
    "write": Role.MEMBER,
    "triage": Role.MEMBER,
    "read": Role.VIEWER,
}
# The buttons of a check take less than a decider's role on the pages. What they do is shown on
# that one pull request, and whoever may push there could do as much by changing the test; and
# GitHub's check of a permission has an older form that calls "maintain" "write", too.
PRESSING = frozenset({"admin", "maintain", "write"})
# A forge is asked again after an hour; while it does not answer, a role counts for a day more.
RENEWED_AFTER = timedelta(hours=1)
COUNTS_FOR = RENEWED_AFTER + timedelta(hours=24)


def role_on_forge(permission: str) -> Role | None:
    """Return what a forge's permission is worth on the pages; ``None`` where it says nothing."""
    return ROLES.get(permission)


def may_press(permission: str) -> bool:
    """Whether a forge's permission lets a person press the buttons of a check."""
    return permission in PRESSING


def in_force() -> QuerySet[ForgeRole]:
    """Return the roles that count: those that a forge confirmed lately enough."""
    return ForgeRole.objects.filter(confirmed_at__gt=timezone.now() - COUNTS_FOR)
