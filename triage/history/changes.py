"""What differs between two epochs of a case."""

from collections.abc import Iterator
from dataclasses import dataclass

from triage.models import Epoch

SHORT_HASH = 10


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that changed; values as people read them."""

    what: str
    before: str
    after: str


def differences(before: Epoch, after: Epoch) -> Iterator[Change]:
    """Yield what a later epoch tells otherwise; what it does not tell is no change."""
    for what, old, new in (
        ("model snapshot", before.model_snapshot, after.model_snapshot),
        ("prompt", before.prompt_sha256[:SHORT_HASH], after.prompt_sha256[:SHORT_HASH]),
        ("test code", before.test_sha256[:SHORT_HASH], after.test_sha256[:SHORT_HASH]),
    ):
        if new and old != new:
            yield Change(what, old or "unknown", new)
