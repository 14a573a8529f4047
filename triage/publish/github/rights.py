"""What the App asks for and why, as its manifest and its page name it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LEVELS = ("none", "read", "write", "admin")


@dataclass(frozen=True, slots=True)
class Permission:
    """A permission that the App needs on repositories."""

    name: str
    level: str
    why: str
    is_optional: bool = False

    def is_granted(self, granted: Mapping[str, str]) -> bool:
        """Whether what was granted is enough."""
        held = granted.get(self.name, "none")
        return held in LEVELS and LEVELS.index(held) >= LEVELS.index(self.level)


PERMISSIONS: Sequence[Permission] = (
    Permission("checks", "write", "shows each verdict as a check run on its commit"),
    Permission("pull_requests", "write", "keeps the one comment on a pull request up to date"),
    Permission("contents", "read", "reads .tiebreak.yml and CODEOWNERS of the default branch"),
    Permission("actions", "read", "learns that workflows ended, and reads their artifacts"),
    Permission("merge_queues", "read", "learns which commits a merge queue wants judged"),
    Permission("metadata", "read", "follows repositories, and knows who may press a button"),
    Permission(
        "actions",
        "write",
        "re-runs failed jobs for a second pass, if you want that",
        is_optional=True,
    ),
)
EVENTS: Mapping[str, str] = {
    "pull_request": "shows at once that a check is awaited",
    "check_run": "judges again on request, and takes the presses of buttons",
    "check_suite": "judges again on request",
    "workflow_run": "knows that no further part of a run will come",
    "merge_group": "shows the check on a merge queue's commits",
    "push": "reads policy and owners again when they change",
    "repository": "follows names and deletions",
}


def wanted_permissions() -> dict[str, str]:
    """Return the permissions that a new App asks for."""
    return {each.name: each.level for each in PERMISSIONS if not each.is_optional}
