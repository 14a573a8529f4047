"""Mutes: cases whose wording somebody answers for, until a day."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from triage.models.cases import Case
from triage.models.repositories import Repository

REASON_LENGTH = 300
NAME_LENGTH = 200


class Mute(models.Model):
    """A stretch in which wording differences of a case do not fail a run. Flips still do."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="mutes", db_index=False)
    case = models.ForeignKey(Case, models.CASCADE, related_name="mutes")
    # Who answers for the case: a person or "@team".
    owner = models.CharField(max_length=NAME_LENGTH)
    reason = models.CharField(max_length=REASON_LENGTH)
    created_at = models.DateTimeField(default=timezone.now)
    # Who muted it: a signed-in person, a token, or the command line.
    created_by = models.CharField(max_length=NAME_LENGTH)
    # When it ends by itself; at most 30 days after it began.
    until = models.DateTimeField()
    # When it ended, by itself or by a person; NULL while nobody has noted an end.
    ended_at = models.DateTimeField(null=True, blank=True)
    # Who ended it; empty when it ended by itself.
    ended_by = models.CharField(max_length=NAME_LENGTH, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case", "repository"],
                condition=Q(ended_at__isnull=True),
                name="mute_one_is_open",
            ),
            models.CheckConstraint(
                condition=Q(until__gt=F("created_at")), name="mute_ends_after_it_begins"
            ),
            models.CheckConstraint(
                condition=~Q(owner="") & ~Q(reason=""), name="mute_has_owner_and_reason"
            ),
        ]
        indexes = [models.Index(fields=["repository", "until"], name="mute_by_end")]

    def __str__(self) -> str:
        return f"{self.case} until {self.until:%Y-%m-%d}"
