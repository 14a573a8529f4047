"""What a client says about the files it sends, checked before anything is stored."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from triage.errors import InvalidRequestError
from triage.models.repositories import FULL_NAME, FULL_NAME_LENGTH
from triage.parse.upload import UploadedFile

# Full SHA-1 and SHA-256 commit ids; shorter ones are ambiguous between repositories' clones.
SHA = re.compile(r"[0-9a-f]{7,64}")
PART = re.compile(r"(\d{1,4})/(\d{1,4})")
MAX_NUMBER = 2**31 - 1
TEXT_LENGTH = 200
# CI clocks run ahead of ours by seconds, not by minutes.
CLOCK_SKEW = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Submission:
    """Report files with the place in CI that they come from."""

    repo: str
    sha: str
    files: tuple[UploadedFile, ...] = ()
    branch: str = ""
    pr: int | None = None
    base_sha: str = ""
    run_id: str = ""
    attempt: int = 1
    job: str = ""
    part: str = ""
    at: datetime | None = None
    idempotency_key: str | None = None
    # The merge of the pull request that CI tested, where ``sha`` was found out from it.
    merge_sha: str = ""
    # Whether the client is known to tell the merge of a pull request, and not its head.
    is_merge: bool = False
    # The bytes of .tiebreak.yml, where it came along.
    policy: bytes | None = None
    # False for what comes from a fork: it is judged and counts for nothing.
    is_trusted: bool = True

    def __post_init__(self) -> None:
        _check_repo(self.repo)
        _check_sha("sha", self.sha)
        if self.base_sha:
            _check_sha("base_sha", self.base_sha)
        for name in ("branch", "run_id", "job"):
            _check_text(name, getattr(self, name))
        _check_number("pr", self.pr)
        _check_number("attempt", self.attempt)
        _check_time(self.at)
        self._check_part()

    @property
    def part_index(self) -> int | None:
        """Position among the parts, from 1, or ``None`` when the run is not divided."""
        return int(self.part.split("/")[0]) if self.part else None

    @property
    def part_total(self) -> int | None:
        """Number of parts of the run, or ``None`` when the run is not divided."""
        return int(self.part.split("/")[1]) if self.part else None

    @property
    def part_name(self) -> str:
        """What names the same leg in every attempt of the run."""
        return f"{self.job} {self.part}".strip()

    def _check_part(self) -> None:
        if not self.part:
            return
        match = PART.fullmatch(self.part)
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise InvalidRequestError(
                f"part must be i/n with 1 <= i <= n, such as 2/4, got {self.part!r}"
            )


def _check_repo(repo: str) -> None:
    if not FULL_NAME.fullmatch(repo) or len(repo) > FULL_NAME_LENGTH:
        raise InvalidRequestError(
            f"repo must be OWNER/NAME of letters, digits, '.', '_' and '-', at most "
            f"{FULL_NAME_LENGTH} characters, got {_shown(repo)}"
        )


def _check_sha(name: str, sha: str) -> None:
    if not SHA.fullmatch(sha):
        raise InvalidRequestError(
            f"{name} must be a commit id of 7 to 64 lower-case hexadecimal digits, "
            f"got {_shown(sha)}"
        )


def _check_text(name: str, text: str) -> None:
    if len(text) > TEXT_LENGTH or not text.isprintable():
        raise InvalidRequestError(
            f"{name} must be printable text of at most {TEXT_LENGTH} characters, got {_shown(text)}"
        )


def _check_number(name: str, number: int | None) -> None:
    if number is not None and not 1 <= number <= MAX_NUMBER:
        raise InvalidRequestError(f"{name} must be a number from 1 to {MAX_NUMBER}, got {number}")


def _check_time(at: datetime | None) -> None:
    if at is None:
        return
    if timezone.is_naive(at):
        raise InvalidRequestError(
            f"at must be an ISO 8601 time with a zone, such as 2026-12-01T09:30:00Z, "
            f"got {at.isoformat()!r}"
        )
    if at > timezone.now() + CLOCK_SKEW:
        raise InvalidRequestError(f"at must not lie in the future, got {at.isoformat()!r}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:80] + "…")
