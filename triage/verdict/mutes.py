"""Which cases are muted at a moment, and how many may be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from triage.models import Case, Mute

# More than one case in twenty is no exception any more, it is a suite that nobody believes.
SHARE_OF_CASES = 0.05


@dataclass(frozen=True, slots=True)
class MuteCap:
    """How many cases of a repository are muted, of how many that may be."""

    muted: int
    most: int
    llm_cases: int

    @property
    def is_reached(self) -> bool:
        """Whether no further case may be muted."""
        return self.muted >= self.most

    def __str__(self) -> str:
        """Return the cap with the numbers that it comes from."""
        return (
            f"{self.muted} of {self.most} muted ({100 * SHARE_OF_CASES:.0f} % of "
            f"{self.llm_cases} LLM cases, at least 1)"
        )


def mutes_at(case_ids: Sequence[int], moment: datetime) -> dict[int, Mute]:
    """Return the mutes that hold at a moment, by case id; an end that nobody noted counts too."""
    return {mute.case_id: mute for mute in _holding(moment).filter(case_id__in=case_ids)}


def mutes_of(repository_id: int, moment: datetime) -> list[Mute]:
    """Return the mutes of a repository that hold at a moment, with their cases, next end first."""
    holding = _holding(moment).filter(repository_id=repository_id)
    return list(holding.select_related("case").order_by("until", "pk"))


def mute_cap(repository_id: int, muted: int) -> MuteCap:
    """Return how many cases may be muted beside those that are."""
    llm_cases = Case.objects.filter(repository_id=repository_id, is_llm=True).count()
    return MuteCap(muted, max(1, math.floor(SHARE_OF_CASES * llm_cases)), llm_cases)


def _holding(moment: datetime) -> QuerySet[Mute]:
    return Mute.objects.filter(
        Q(ended_at__isnull=True) | Q(ended_at__gt=moment),
        created_at__lte=moment,
        until__gt=moment,
    )
