"""The texts of failures that stand beneath a comment, cut to what a reader takes in."""

from collections.abc import Mapping, Sequence
from typing import Any

from triage.models import Result

MOST_LINES = 16
MOST_CHARACTERS = 1_500
CUT = "…"


def excerpts(findings: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Return the failure text per result id of findings; one query."""
    wanted = [finding["result_id"] for finding in findings]
    rows = Result.objects.filter(pk__in=wanted).select_related("text")
    return {row.pk: excerpt(row.text.text if row.text else row.message) for row in rows}


def excerpt(text: str) -> str:
    """Return the end of a text, where runners say what differs, within bounds."""
    lines = text.strip().splitlines()
    kept = "\n".join(lines[-MOST_LINES:])[-MOST_CHARACTERS:]
    is_whole = len(lines) <= MOST_LINES and len(kept) == len("\n".join(lines))
    return kept if is_whole else f"{CUT}\n{kept}"
