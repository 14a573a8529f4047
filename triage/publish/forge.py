"""What a forge can be asked to show, whichever it is."""

from dataclasses import dataclass
from typing import Protocol

from triage.publish.check_run import CheckRun


class ForgeError(Exception):
    """A forge did not do what it was asked."""


class TemporaryForgeError(ForgeError):
    """It may do it later; ``retry_after`` is how many seconds it asked to be left alone."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class GoneForgeError(ForgeError):
    """The forge no longer knows us there: uninstalled, suspended, deleted."""


class TokenForgeError(ForgeError):
    """The forge does not take our token, or no longer; with another one it may do it."""


class RefusedForgeError(ForgeError):
    """The forge will never do it as asked; trying again changes nothing."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is on the forge now."""

    remote_id: int


class Forge(Protocol):
    """A forge for one repository. Doing a thing again finds what was made before."""

    def set_check(self, sha: str, key: str, check: CheckRun) -> Shown:
        """Show a check run on a commit; ``key`` names it."""

    def set_comment(self, number: int, body: str, known: int | None) -> Shown:
        """Show the comment on a pull request."""
