"""What fails on the base of a pull request already."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from triage.models import Observation, Result, Run
from triage.terms import Difference
from triage.verdict.questions import Question


@dataclass(frozen=True, slots=True)
class BaseFailure:
    """How a case fails on the base: by signature and by flipped pairs of labels."""

    sha: str
    difference: str | None
    signature: str
    flips: frozenset[tuple[str | None, str | None]]

    def is_same_as(self, question: Question) -> bool:
        """Whether a question fails in the same way."""
        if self.difference != question.difference:
            return False
        if question.difference is Difference.LABEL:
            return any((flip.expected, flip.observed) in self.flips for flip in question.flips)
        return self.signature == question.result.signature


def base_failures(run: Run, case_ids: Sequence[int]) -> dict[int, BaseFailure]:
    """Return how these cases fail on the run's base, by case id; empty for a reference run.

    The base is the commit that was told, or else the newest earlier run of the default branch.
    """
    base = None if run.is_reference else base_run(run)
    if base is None:
        return {}
    results = (
        Result.objects.filter(
            run__repository_id=run.repository_id,
            run__sha=base.sha,
            run__is_trusted=True,
            case_id__in=case_ids,
            difference__isnull=False,
        )
        .exclude(run__sha=run.sha)
        .prefetch_related("observations")
        .order_by("pk")
    )
    return {result.case_id: _failure(result, base.sha) for result in results}


def base_run(run: Run) -> Run | None:
    """Return the run that another is held against: of its told base, or the default branch."""
    trusted = Run.objects.filter(repository_id=run.repository_id, is_trusted=True)
    earlier = trusted.exclude(sha=run.sha)
    if run.base_sha:
        told = Q(sha=run.base_sha) | Q(sha__startswith=run.base_sha)
        return earlier.filter(told).order_by("-at").first()
    return earlier.filter(is_reference=True, at__lte=run.at).order_by("-at").first()


def _failure(result: Result, sha: str) -> BaseFailure:
    flips = frozenset(
        (observation.expected, observation.observed)
        for observation in result.observations.all()
        if _is_flip(observation)
    )
    return BaseFailure(sha, result.difference, result.signature, flips)


def _is_flip(observation: Observation) -> bool:
    return observation.difference == Difference.LABEL
