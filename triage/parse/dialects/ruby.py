"""Minitest."""

from triage.parse.dialects.dialect import Dialect, Traits


def is_minitest(traits: Traits) -> bool:
    """Whether a reporter of Minitest wrote it."""
    return traits.suite_name.lower().startswith("minitest") or "filepath" in traits.suite


# A skip is a failure to Minitest, and its reporters write both.
MINITEST = Dialect("minitest", is_minitest, skipped_beats_failed=True)
