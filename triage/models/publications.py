"""Publications: what a forge shall show of a commit or a pull request, and what it shows."""

from django.db import models
from django.utils import timezone

from triage.models.choices import choices, is_one_of
from triage.models.repositories import Repository
from triage.models.verdicts import Verdict
from triage.terms import PublicationKind, PublicationState


class Publication(models.Model):
    """One thing on a forge that is kept up to date: the outbox of publishing.

    A new verdict changes what is wanted; whoever delivers takes the newest, so that verdicts in
    between are never sent. One row per thing: the forge can never be given two of it.
    """

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="publications", db_index=False
    )
    kind = models.CharField(max_length=8, choices=choices(PublicationKind))
    # What it is about: a commit id, or the number of a pull request.
    subject = models.CharField(max_length=64)
    # The verdict to be shown; NULL while there is none.
    wanted = models.ForeignKey(
        Verdict, models.SET_NULL, null=True, blank=True, related_name="publications"
    )
    # Whether every workflow of the commit ended without a report.
    has_no_results = models.BooleanField(default=False)
    # What was left out of what a fork reported for the commit, and why, for people.
    left_out = models.JSONField(default=list)
    state = models.CharField(
        max_length=8, choices=choices(PublicationState), default=PublicationState.WAITING
    )
    # The forge's number of it; NULL before it was made.
    remote_id = models.PositiveBigIntegerField(null=True, blank=True)
    # SHA-256 of what was sent last, hex: what is equal is not sent again.
    sent_digest = models.CharField(max_length=64, blank=True, default="")
    # The verdict that the sent annotations belong to; a forge appends them.
    annotated_for = models.PositiveBigIntegerField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField(default=timezone.now)
    leased_until = models.DateTimeField(null=True, blank=True)
    # Why the last try ended badly, for people.
    error = models.TextField(blank=True, default="")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "kind", "subject"], name="publication_is_unique"
            ),
            models.CheckConstraint(
                condition=is_one_of("kind", PublicationKind), name="publication_kind_known"
            ),
            models.CheckConstraint(
                condition=is_one_of("state", PublicationState), name="publication_state_known"
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_try_at"],
                name="publication_open",
                condition=models.Q(state=PublicationState.WAITING),
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} of {self.repository}"
