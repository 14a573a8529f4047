"""Ask for a calibration, run it, and keep what it found."""

import logging
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from triage.handing_over import hand_over_after_commit
from triage.models import CalibrationReport, Repository, Run
from triage.terms import CalibrationState
from triage.verdict.calibration import REPLAYS, Calibration, calibrate
from triage.verdict.label_replays import FEWEST_RUNS
from triage.verdict.recorded_labels import LabelRecord, read_labels
from triage.verdict.rules import RULES_VERSION

logger = logging.getLogger(__name__)

TASK = "triage.calibrate"
# A gate changes with its history, not from day to day.
RENEWED_AFTER = timedelta(days=7)
WEEKLY = "the weekly task"
# One that was not finished by then died with its worker.
LONGEST_RUN = timedelta(minutes=30)


def ask(repository_id: int, who: str) -> CalibrationReport:
    """Ask for a calibration; one that waits or runs already is returned as it is."""
    with transaction.atomic():
        Repository.objects.select_for_update().get(pk=repository_id)
        waiting = CalibrationReport.objects.filter(
            repository_id=repository_id,
            state__in=[CalibrationState.QUEUED, CalibrationState.RUNNING],
            asked_at__gt=timezone.now() - LONGEST_RUN,
        ).first()
        if waiting:
            return waiting
        made = CalibrationReport.objects.create(repository_id=repository_id, asked_by=who)
        hand_over_after_commit(TASK, made.pk, lambda: run(made.pk))
    return made


def ask_where_due() -> int:
    """Ask for every repository whose newest calibration is a week old and that ran since."""
    since = timezone.now() - RENEWED_AFTER
    recent = CalibrationReport.objects.filter(asked_at__gt=since).values("repository")
    due = Repository.objects.exclude(pk__in=recent).filter(
        pk__in=Run.objects.filter(is_reference=True, at__gt=since).values("repository")
    )
    asked = [ask(pk, WEEKLY) for pk in due.values_list("pk", flat=True)]
    return len(asked)


def run(report_id: int) -> None:
    """Run a calibration that was asked for; what goes wrong is kept with it."""
    started = CalibrationReport.objects.filter(pk=report_id, state=CalibrationState.QUEUED).update(
        state=CalibrationState.RUNNING, started_at=timezone.now()
    )
    if not started:
        return
    report = CalibrationReport.objects.select_related("repository").get(pk=report_id)
    try:
        report.document = calibration_document(report.repository)
        report.state = CalibrationState.DONE
    except Exception as error:
        logger.exception("calibration %s failed", report_id)
        report.state, report.error = CalibrationState.FAILED, f"{type(error).__name__}: {error}"
    report.finished_at = timezone.now()
    report.save()


def calibration_document(repository: Repository, replays: int = REPLAYS) -> dict[str, Any]:
    """Return the calibration of a repository as a document; without estimates if too short."""
    record = read_labels(repository.pk)
    missing = record.labels.runs_missing
    estimates = None if missing else calibrate(record.labels, replays=replays)
    return document_of(repository.full_name, record, estimates)


def document_of(repo: str, record: LabelRecord, estimates: Calibration | None) -> dict[str, Any]:
    """Return what a calibration rests on and what it found."""
    cases, runs = record.labels.labels.shape
    return {
        "repo": repo,
        "rules": RULES_VERSION,
        "cases": cases,
        "runs": runs,
        "since": record.since.isoformat() if record.since else None,
        "left_out": {"without_label": record.without_label, "with_several": record.with_several},
        "runs_needed": FEWEST_RUNS,
        "runs_missing": record.labels.runs_missing,
        "estimates": _estimates(estimates) if estimates else None,
    }


def _estimates(estimates: Calibration) -> dict[str, Any]:
    unchanged = estimates.unchanged
    return {
        "cases": estimates.cases,
        "runs": estimates.runs,
        "replays": estimates.replays,
        "unchanged": {
            "blocked": unchanged.blocked.as_json(),
            "held": unchanged.held.as_json(),
            "flipping": unchanged.flipping.as_json(),
            "repeats_per_run": unchanged.repeats_per_run,
        },
        "moved": [
            {
                "share_of_calls": each.share_of_calls,
                "blocked": each.blocked.as_json(),
                "held": each.held.as_json(),
                "missed": each.missed.as_json(),
                "unseen": each.unseen.as_json(),
                "repeats_per_run": each.repeats_per_run,
            }
            for each in estimates.moved
        ],
    }
