"""Requested actions: what somebody asked for on a check, or the policy by itself."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from triage.models.choices import choices, is_one_of
from triage.models.repositories import Repository
from triage.models.runs import Run
from triage.terms import ActionState, Button

LOGIN_LENGTH = 100


class RequestedAction(models.Model):
    """One press of a button with its answer: an outbox, and the record of who let pass what.

    There is no kind that makes a flip a flake.
    """

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    # The attempt whose check it was asked for on.
    run = models.ForeignKey(Run, models.CASCADE, related_name="requested_actions", db_index=False)
    kind = models.CharField(max_length=20, choices=choices(Button))
    # Login on the forge; empty where the policy asks.
    who = models.CharField(max_length=LOGIN_LENGTH, blank=True, default="")
    state = models.CharField(
        max_length=8, choices=choices(ActionState), default=ActionState.WAITING
    )
    # What became of it, one sentence for people; empty while it waits.
    answer = models.TextField(blank=True, default="")
    # What it was done to: {"cases": [ids that may pass], "questions": [{"case", "expected",
    # "observed", "url"}], "attempt": number that the forge started}; each only where the kind
    # has any.
    detail = models.JSONField(default=dict)
    attempts = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField(default=timezone.now)
    leased_until = models.DateTimeField(null=True, blank=True)
    requested_at = models.DateTimeField(default=timezone.now)
    # When it came to an end; NULL while it waits.
    acted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "kind", "repository"],
                condition=Q(who=""),
                name="requested_action_of_policy_is_unique",
            ),
            models.CheckConstraint(
                condition=is_one_of("kind", Button), name="requested_action_kind_known"
            ),
            models.CheckConstraint(
                condition=is_one_of("state", ActionState), name="requested_action_state_known"
            ),
        ]
        indexes = [
            models.Index(fields=["run", "requested_at"], name="requested_action_by_run"),
            models.Index(
                fields=["next_try_at"],
                name="requested_action_open",
                condition=Q(state=ActionState.WAITING),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} by {self.asked_by}"

    @property
    def asked_by(self) -> str:
        """Who asked, as it is shown."""
        return f"@{self.who}" if self.who else "the policy"
