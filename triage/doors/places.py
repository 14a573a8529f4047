"""Read out of addresses what an uploader does not say: the repository, the run, its attempt."""

import re
from dataclasses import dataclass

from triage.models.repositories import FULL_NAME

ACTIONS_RUN = re.compile(
    r"https?://[^/]+/(?P<repo>[^/]+/[^/]+)/actions/runs/(?P<run>\d+)(?:/attempts/(?P<attempt>\d+))?"
)
# https://host/owner/name.git, git@host:owner/name.git
REMOTE = re.compile(r"(?:[a-z+]+://[^/]+/|[^/:]+:)(?P<repo>.+?)(?:\.git)?/?")
# What the workflow's own key ends with: the number of the attempt.
KEY_WITH_ATTEMPT = re.compile(r".*-\d+-(?P<attempt>\d{1,9})")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a report comes from, as far as an address tells; ``None`` for what it does not."""

    repo: str | None = None
    run_id: str | None = None
    attempt: int | None = None


def place_of_run(url: str) -> Place:
    """Return what the address of a GitHub Actions run tells; nothing for any other address."""
    found = ACTIONS_RUN.match(url)
    if not found:
        return Place()
    attempt = found["attempt"]
    return Place(found["repo"], found["run"], int(attempt) if attempt else None)


def repo_of_remote(url: str) -> str | None:
    """Return OWNER/NAME of a git remote's address."""
    found = REMOTE.fullmatch(url.strip())
    return found["repo"] if found and FULL_NAME.fullmatch(found["repo"]) else None


def attempt_of_key(key: str) -> int | None:
    """Return the attempt that stands last in ``ACTION-NUMBER-ATTEMPT``."""
    found = KEY_WITH_ATTEMPT.fullmatch(key)
    return int(found["attempt"]) if found else None
