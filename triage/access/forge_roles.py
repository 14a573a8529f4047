"""The role that a forge's permission on a repository is worth here."""

from triage.terms import Role

ROLES = {
    "admin": Role.ADMIN,
    "maintain": Role.DECIDER,
    "write": Role.DECIDER,
    "triage": Role.MEMBER,
    "read": Role.VIEWER,
}


def role_on_forge(permission: str) -> Role | None:
    """Return what a forge's permission is worth; ``None`` for one that says nothing."""
    return ROLES.get(permission)
