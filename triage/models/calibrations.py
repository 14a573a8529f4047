"""Calibrations: how often the gate would be wrong, as estimated from a repository's own runs."""

from django.db import models
from django.utils import timezone

from triage.models.choices import choices, is_one_of
from triage.models.repositories import Repository
from triage.terms import CalibrationState


class CalibrationReport(models.Model):
    """One estimate that was asked for. Figures are kept as they were, whatever comes later."""

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="calibrations", db_index=False
    )
    state = models.CharField(
        max_length=8, choices=choices(CalibrationState), default=CalibrationState.QUEUED
    )
    # Who asked: a person, the command line, or the weekly task.
    asked_by = models.CharField(max_length=200)
    asked_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    # Why it failed, for people.
    error = models.TextField(blank=True, default="")
    # Basis and estimates, as ``tiebreak calibrate --json`` prints them.
    document = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=is_one_of("state", CalibrationState), name="calibration_state_known"
            )
        ]
        indexes = [models.Index(fields=["repository", "-asked_at"], name="calibration_by_time")]

    def __str__(self) -> str:
        return f"calibration of {self.repository} ({self.state})"
