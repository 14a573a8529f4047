"""A check told as a commit status, which knows fewer states, one line, and no buttons."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings

from triage.publish.check_run import CheckRun

NAME = "Tiebreak"
IN_PROGRESS = "in_progress"
CUT = "…"


@dataclass(frozen=True, slots=True)
class Status:
    """What a commit status says."""

    state: str
    description: str
    target_url: str


def status_of(check: CheckRun, states: Mapping[str, str], longest: int) -> Status:
    """Return a check as a status of a forge that has these states and this much room.

    ``states`` are by the check's conclusion, and by ``in_progress`` for one that has none, or
    whose second pass is still open.
    """
    conclusion = None if check.is_settling else check.conclusion
    title = check.title if len(check.title) <= longest else check.title[: longest - 1] + CUT
    return Status(
        state=states[conclusion or IN_PROGRESS],
        description=title,
        target_url=check.url or settings.TIEBREAK_URL,
    )
