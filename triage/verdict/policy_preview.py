"""What the newest runs would have been judged by another policy; nothing is kept."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import transaction

from triage.models import Repository, Run
from triage.policy.stored import PolicyInForce
from triage.verdict.rejudging import FindingChange, JudgedAgain, finding_changes, judge_again


@dataclass(frozen=True, slots=True)
class PreviewedRun:
    """A run by the verdict that holds, and judged again by the policy in force and by the other."""

    run: Run
    stored: str
    # What the policy in force would make of it today: more is known than when it was judged.
    now: str
    then: str
    headline: str
    # The findings in which the two policies differ.
    findings: tuple[FindingChange, ...]

    @property
    def differs(self) -> bool:
        """Whether the policies judge it differently."""
        return self.now != self.then or bool(self.findings)


@dataclass(frozen=True, slots=True)
class PolicyPreview:
    """The previewed runs, newest first; ``left_out`` newer ones were not reached in time."""

    runs: Sequence[PreviewedRun]
    left_out: int
    seconds: float


def preview_policy(
    repository: Repository, policy: PolicyInForce, newest: int, seconds: float
) -> PolicyPreview:
    """Judge the newest runs by the policy in force and by another one, and take it all back.

    Parameters
    ----------
    newest : int
        How many CI runs are judged, each with all its attempts, from the oldest of them on.
    seconds : float
        After this time no further run is begun; uploads to the repository wait for as long, on
        SQLite all writers do.

    Notes
    -----
    Reports are not read again: which cases call an LLM, and which words are labels, stays as it
    was recorded. Priors, accepted rates and label sets are those of today for both policies, so
    that nothing but the policy can make them differ.
    """
    begun = monotonic()
    with transaction.atomic():
        locked = Repository.objects.select_for_update().get(pk=repository.pk)
        runs = _newest_judged(locked, newest)
        then = judge_again(_until(begun + seconds / 2, runs), policy)
        now = judge_again(_until(begun + seconds, [each.run for each in then]), None)
    previewed = [_previewed(*pair) for pair in zip(now, then, strict=False)]
    return PolicyPreview(previewed[::-1], len(runs) - len(previewed), monotonic() - begun)


def _newest_judged(repository: Repository, newest: int) -> list[Run]:
    """Return the last attempts of the newest CI runs with a verdict, oldest first."""
    judged = Run.objects.filter(
        repository=repository, verdicts__is_current=True, pruned_at__isnull=True
    ).order_by("-at", "-attempt", "-pk")
    last: dict[tuple[str, str], Run] = {}
    for run in judged.iterator(chunk_size=newest):
        last.setdefault((run.sha, run.ci_run_id), run)
        if len(last) == newest:
            break
    return list(last.values())[::-1]


def _until(end: float, runs: Iterable[Run]) -> Iterator[Run]:
    for run in runs:
        if monotonic() > end:
            return
        yield run


def _previewed(now: JudgedAgain, then: JudgedAgain) -> PreviewedRun:
    return PreviewedRun(
        run=then.run,
        stored=then.before.conclusion,
        now=now.after.conclusion,
        then=then.after.conclusion,
        headline=_headline(then.after.document),
        findings=finding_changes(now.after.document, then.after.document),
    )


def _headline(document: Mapping[str, Any]) -> str:
    return str(document["headline"]["text"])
