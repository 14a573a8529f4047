"""The attempts of a CI run: as the forge counts them, and as they are stored.

Whoever reports with `tiebreak.py` stores what a second pass repeats within one attempt of the
forge as further attempts; whoever reports by hand tells the forge's own number.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q

from triage.models import Run

# The room that `tiebreak.py` leaves behind each attempt of the forge, whose second one is 101.
APART = 100


def forge_attempt(attempt: int) -> int:
    """Return the forge's number of a stored attempt.

    Within the first room it cannot be told from a repeat, and is taken for the forge's own.
    """
    return attempt if attempt <= APART else (attempt - 1) // APART + 1


def ended_attempts(
    repository_id: int, ci_run_id: str, number: int, ended_at: datetime
) -> Sequence[Run]:
    """Return what is stored and still open of an attempt of the forge that ended at a time.

    What is stored under a number in between and came later is of an attempt that followed.
    """
    first = (number - 1) * APART + 1
    told = Q(attempt__in=(number, first))
    repeated = Q(attempt__range=(first, first + APART - 1), at__lte=ended_at)
    runs = Run.objects.filter(told | repeated, repository_id=repository_id, ci_run_id=ci_run_id)
    return list(runs.filter(closed_at__isnull=True).order_by("attempt"))


def attempts_made(run: Run) -> int:
    """Return how many attempts of a CI run are stored, repeats among them."""
    return Run.objects.filter(
        repository_id=run.repository_id, sha=run.sha, ci_run_id=run.ci_run_id
    ).count()
