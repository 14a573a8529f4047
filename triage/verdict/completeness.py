"""Whether a run is all there: parts that reported, parts that are awaited, parts that never came.

A run that fails is judged at once; one that passes so far has only passed once it is complete.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from django.db.models import QuerySet

from triage.models import Run, Upload
from triage.terms import RunEnd, UploadState
from triage.verdict.counting import RunCounts
from triage.verdict.questions import CiRun
from triage.verdict.run_policy import RunPolicy

CLOSED_BY = {
    RunEnd.TOLD: "CI said that it was complete",
    RunEnd.WORKFLOW: "its workflow ended",
    RunEnd.QUIET: "no further part came",
    RunEnd.DEADLINE: "the deadline for further parts passed",
}


class RunState(StrEnum):
    """How much of a run is there."""

    COMPLETE = "complete"
    WAITING = "waiting"
    # Closed, and parts that were told of never reported.
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Completeness:
    """How much of a run is there, and what to say of it."""

    state: RunState
    # What stands behind "Provisional: " where nothing failed.
    so_far: str = ""
    warnings: tuple[str, ...] = ()
    # A report that was taken and cannot be read may hold failures.
    lost_reports: int = 0
    look_at: datetime | None = None


def completeness(ci_run: CiRun, counts: RunCounts, policy: RunPolicy) -> Completeness:
    """Return how much of a CI run is there, from what is stored alone."""
    uploads = _uploads(ci_run)
    lost = sum(each.state == UploadState.DEAD for each in uploads)
    return replace(
        _parts(ci_run.attempts[-1], uploads, counts, policy),
        warnings=(*_late(ci_run, uploads), *_lost(lost)),
        lost_reports=lost,
    )


def _parts(
    latest: Run, uploads: Sequence[Upload], counts: RunCounts, policy: RunPolicy
) -> Completeness:
    """Return how much of a CI run is there, whatever there is to warn of."""
    unread = sum(each.state == UploadState.RECEIVED for each in uploads)
    if unread:
        return Completeness(RunState.WAITING, f"{_reports(unread)} still being read")
    last = _last(uploads, latest)
    if counts.parts_got < counts.parts_expected:
        got = f"{counts.parts_got} of {counts.parts_expected} parts"
        if latest.closed_at:
            why = f"{got} reported, though {CLOSED_BY[RunEnd(latest.closed_by)]}"
            return Completeness(RunState.MISSING, why)
        so_far = f"{got} have reported so far"
        return Completeness(RunState.WAITING, so_far, look_at=last + policy.deadline)
    if policy.quiet and not latest.closed_at and not latest.parts_expected:
        so_far = "further parts are awaited"
        return Completeness(RunState.WAITING, so_far, look_at=last + policy.quiet)
    return Completeness(RunState.COMPLETE)


def note_when_to_look(run: Run, found: Completeness) -> None:
    """Keep when a run that waits is looked at again."""
    if run.look_at != found.look_at:
        run.look_at = found.look_at
        run.save(update_fields=["look_at"])


def close(run: Run, by: RunEnd, at: datetime) -> None:
    """Note that no further part of a run is awaited. The first to say so is the one that counts."""
    if run.closed_at is None:
        run.closed_at, run.closed_by, run.look_at = at, by, None
        run.save(update_fields=["closed_at", "closed_by", "look_at"])


def due_runs(now: datetime) -> QuerySet[Run]:
    """Return the runs that have waited long enough."""
    return Run.objects.filter(look_at__lte=now).order_by("look_at")


def close_if_due(run: Run, now: datetime) -> None:
    """Close a run that has waited long enough; a part that has just come may have put it off."""
    if run.look_at is not None and run.look_at <= now:
        close(run, end_of_waiting(run), now)


def end_of_waiting(run: Run) -> RunEnd:
    """Return what ends the waiting of a run that is due."""
    return RunEnd.DEADLINE if run.parts_expected else RunEnd.QUIET


def _uploads(ci_run: CiRun) -> list[Upload]:
    return list(
        Upload.objects.filter(run__in=ci_run.attempts)
        .select_related("part")
        .only("state", "received_at", "run", "part__name")
        .order_by("received_at")
    )


def _last(uploads: Sequence[Upload], run: Run) -> datetime:
    return max((each.received_at for each in uploads), default=run.at)


def _late(ci_run: CiRun, uploads: Sequence[Upload]) -> list[str]:
    """Say which parts came after their run had been closed; the run was judged again with them."""
    return [
        f"Part {each.part.name or '1'} reported after the run had been closed "
        f"({CLOSED_BY[RunEnd(run.closed_by)]}); it was judged again."
        for run in ci_run.attempts
        for each in uploads
        if run.closed_at and each.run_id == run.pk and each.received_at > run.closed_at
    ]


def _lost(lost: int) -> list[str]:
    if not lost:
        return []
    return [
        f"INCOMPLETE: {_reports(lost)} stored and could not be processed; what it holds is not "
        "known. The page of the upload says why."
    ]


def _reports(number: int) -> str:
    return "1 report is" if number == 1 else f"{number} reports are"
