"""A previewed policy as rows: which verdicts and findings it would have changed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from triage.models import Run
from triage.terms import Conclusion, FindingKind
from triage.verdict.policy_preview import PolicyPreview, PreviewedRun
from triage.verdict.rejudging import FindingChange
from triage.web.presenters.badges import CONCLUSIONS, FINDINGS, Badge, Tone

NO_FINDING = Badge("no finding", "passed", Tone.QUIET)
MOST_FINDINGS = 20


@dataclass(frozen=True, slots=True)
class ChangedFinding:
    """A finding that would be another one."""

    told: FindingChange
    before: Badge
    after: Badge


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """A run that the other policy would have judged differently."""

    run: Run
    before: Badge
    after: Badge
    headline: str
    findings: Sequence[ChangedFinding]
    findings_left_out: int
    # What the verdict says that holds, where judging again by the policy in force says otherwise.
    stored: Badge | None


@dataclass(frozen=True, slots=True)
class CountedChange:
    """How many runs would go from one conclusion to another."""

    before: Badge
    after: Badge
    runs: int


@dataclass(frozen=True, slots=True)
class PreviewResult:
    """What a preview shows: counts first, then every run that differs."""

    runs: int
    changes: Sequence[CountedChange]
    findings: int
    rows: Sequence[ChangedRun]
    # Runs whose verdict would be another one today by the policy in force, too.
    outdated: int
    left_out: int
    seconds: float


def preview_result(preview: PolicyPreview) -> PreviewResult:
    """Return a preview as its page shows it."""
    changed = [each for each in preview.runs if each.differs]
    moved = Counter((each.now, each.then) for each in changed if each.now != each.then)
    return PreviewResult(
        runs=len(preview.runs),
        changes=[
            CountedChange(_conclusion(before), _conclusion(after), runs)
            for (before, after), runs in moved.most_common()
        ],
        findings=sum(len(each.findings) for each in changed),
        rows=[_row(each) for each in changed],
        outdated=sum(each.stored != each.now for each in preview.runs),
        left_out=preview.left_out,
        seconds=preview.seconds,
    )


def _row(each: PreviewedRun) -> ChangedRun:
    return ChangedRun(
        run=each.run,
        before=_conclusion(each.now),
        after=_conclusion(each.then),
        headline=each.headline,
        findings=[_finding(told) for told in each.findings[:MOST_FINDINGS]],
        findings_left_out=len(each.findings[MOST_FINDINGS:]),
        stored=_conclusion(each.stored) if each.stored != each.now else None,
    )


def _finding(told: FindingChange) -> ChangedFinding:
    return ChangedFinding(told, _kind(told.before), _kind(told.after))


def _kind(kind: str | None) -> Badge:
    return FINDINGS[FindingKind(kind)] if kind else NO_FINDING


def _conclusion(conclusion: str) -> Badge:
    return CONCLUSIONS[Conclusion(conclusion)]
