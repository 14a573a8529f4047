"""What was left out of what a fork reported, as the check and the run's page tell it."""

from collections.abc import Sequence

from triage.models import Publication
from triage.terms import PublicationKind

MOST_SHOWN = 10


def left_out_of(repository_id: int, sha: str) -> list[str]:
    """Return sentences about what was left out of a commit's reports; one query."""
    check = Publication.objects.filter(
        repository_id=repository_id, kind=PublicationKind.CHECK, subject=sha
    ).first()
    return left_out_sentences(check.left_out) if check else []


def left_out_sentences(left_out: Sequence[str]) -> list[str]:
    """Return one sentence for each of the first, and one that counts the rest."""
    told = [f"Left out, so that what it holds is not known: {each}." for each in left_out]
    rest = len(told) - MOST_SHOWN
    return [*told[:MOST_SHOWN], *([f"{rest} more were left out."] if rest > 0 else [])]
