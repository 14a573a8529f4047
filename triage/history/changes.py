"""What differs between two epochs of a case, and who changed it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from triage.models import Epoch

SHORT_HASH = 10
SNAPSHOT = "model snapshot"
UNKNOWN = "unknown"


class Origin(StrEnum):
    """Who changed something between two epochs."""

    PROVIDER = "provider"
    OWN = "own"
    BOTH = "both"
    # What was never told before may have been the same all along.
    FIRST_TOLD = "first told"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that changed; values as people read them."""

    what: str
    before: str
    after: str

    @property
    def origin(self) -> Origin:
        """Who made this change."""
        if self.before == UNKNOWN:
            return Origin.FIRST_TOLD
        return Origin.PROVIDER if self.what == SNAPSHOT else Origin.OWN


def origin_of(changes: Iterable[Change]) -> Origin:
    """Return who made several changes; what is told for the first time proves none."""
    proven = {each.origin for each in changes} - {Origin.FIRST_TOLD}
    if len(proven) > 1:
        return Origin.BOTH
    return next(iter(proven), Origin.FIRST_TOLD)


def differences(before: Epoch, after: Epoch) -> Iterator[Change]:
    """Yield what a later epoch tells otherwise; what it does not tell is no change."""
    for what, old, new in (
        (SNAPSHOT, before.model_snapshot, after.model_snapshot),
        ("prompt", before.prompt_sha256[:SHORT_HASH], after.prompt_sha256[:SHORT_HASH]),
        ("test code", before.test_sha256[:SHORT_HASH], after.test_sha256[:SHORT_HASH]),
    ):
        if new and old != new:
            yield Change(what, old or UNKNOWN, new)
