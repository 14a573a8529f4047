"""Judge stored runs again by the rules of today, and say what would differ; nothing is kept."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from triage.models import Repository, Run, Verdict
from triage.policy.stored import PolicyInForce
from triage.verdict.judge import judge

# Takes the runs in turn and hands them on: the place for a progress bar.
Track = Callable[[list[Run]], Iterable[Run]]


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding that would differ. ``None`` stands for no finding on that side."""

    case: str
    case_id: int
    # What differs in the case: a label, its wording, or how it crashed.
    difference: str
    part: str
    before: str | None
    after: str | None
    # Of the new finding, or of the old one where there would be none.
    reason: str


@dataclass(frozen=True, slots=True)
class Rejudged:
    """A run with its conclusion before and after, and the findings that would differ."""

    run: Run
    # Versions of the rules that judged.
    rules_before: int
    rules_after: int
    before: str
    after: str
    findings: tuple[FindingChange, ...]

    @property
    def differs(self) -> bool:
        """Whether the conclusion or any finding would be another one."""
        return self.before != self.after or bool(self.findings)

    @property
    def rules_differ(self) -> bool:
        """Whether other rules judged before; if not, what is known of the suite has changed."""
        return self.rules_before != self.rules_after


def rejudge(
    repository: Repository,
    since: datetime,
    track: Track,
    policy: PolicyInForce | None = None,
) -> list[Rejudged]:
    """Judge the runs of a repository since a time again, in order, and take everything back.

    What a run is charged or cleared of counts for the runs after it, as it would have. Priors,
    accepted rates and label sets are those of today. Uploads to the repository wait until it is
    done; on SQLite all writers do.
    """
    with transaction.atomic():
        locked = Repository.objects.select_for_update().get(pk=repository.pk)
        judged = judge_again(track(_judged_runs(locked, since)), policy)
    return [_rejudged(each) for each in judged]


@dataclass(frozen=True, slots=True)
class JudgedAgain:
    """A run with the verdict that holds and the one that it would get; the latter is not kept."""

    run: Run
    before: Verdict
    after: Verdict


def judge_again(runs: Iterable[Run], policy: PolicyInForce | None) -> list[JudgedAgain]:
    """Judge runs in their order, and take everything back; the caller holds the lock.

    What a run is charged or cleared of counts for the runs after it, as it would have.
    """
    with transaction.atomic():
        judged = [
            JudgedAgain(run, Verdict.objects.get(run=run, is_current=True), judge(run, policy))
            for run in runs
        ]
        transaction.set_rollback(True)
    return judged


def _judged_runs(repository: Repository, since: datetime) -> list[Run]:
    """Return the last attempt of every CI run: its verdict rests on all attempts."""
    judged = Run.objects.filter(
        repository=repository, verdicts__is_current=True, pruned_at__isnull=True
    )
    last: dict[tuple[str, str], Run] = {}
    for run in judged.order_by("attempt"):
        last[run.sha, run.ci_run_id] = run
    recent = [run for run in last.values() if run.at >= since]
    return sorted(recent, key=lambda run: (run.at, run.pk))


def _rejudged(each: JudgedAgain) -> Rejudged:
    before, after = each.before, each.after
    return Rejudged(
        each.run,
        before.rules,
        after.rules,
        before.conclusion,
        after.conclusion,
        finding_changes(before.document, after.document),
    )


def finding_changes(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[FindingChange, ...]:
    """Return which findings are others in the second of two verdict documents of a run."""
    old, new = _by_case(before), _by_case(after)
    return tuple(
        _change(old.get(key), new.get(key))
        for key in {**new, **old}
        if _kind(old.get(key)) != _kind(new.get(key))
    )


def _by_case(document: Mapping[str, Any]) -> dict[tuple[int, str], Mapping[str, Any]]:
    return {(each["case_id"], each["part"]): each for each in document["findings"]}


def _kind(finding: Mapping[str, Any] | None) -> str | None:
    return finding["finding"] if finding else None


def _change(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> FindingChange:
    shown = new or old or {}
    return FindingChange(
        case=shown["case"],
        case_id=shown["case_id"],
        difference=shown["difference"],
        part=shown["part"],
        before=_kind(old),
        after=_kind(new),
        reason=shown["reason"],
    )
