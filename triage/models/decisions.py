"""Decisions: what a person answered to an escalation. Only ever added to."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from triage.models.choices import choices, is_one_of
from triage.models.escalations import Escalation
from triage.models.repositories import Repository
from triage.terms import DecisionKind

WHY_LENGTH = 2_000


class Decision(models.Model):
    """One answer. The newest of an escalation is in effect; none is changed or taken away.

    There is no kind that makes a flip a flake.
    """

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    escalation = models.ForeignKey(
        Escalation, models.CASCADE, related_name="decisions", db_index=False
    )
    kind = models.CharField(max_length=20, choices=choices(DecisionKind))
    # The label that is right from now on; set for accept_label only.
    label = models.CharField(max_length=200, blank=True, default="")
    # Until when the question rests; set for defer only.
    until = models.DateTimeField(null=True, blank=True)
    who = models.CharField(max_length=200)
    why = models.TextField(max_length=WHY_LENGTH)
    # What was known at the time: findings, label counts, lines for the policy.
    evidence = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=is_one_of("kind", DecisionKind), name="decision_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(kind=DecisionKind.ACCEPT_LABEL) ^ Q(label=""),
                name="decision_label_is_for_accepting",
            ),
            models.CheckConstraint(
                condition=Q(kind=DecisionKind.DEFER) ^ Q(until__isnull=True),
                name="decision_until_is_for_deferring",
            ),
            models.CheckConstraint(condition=~Q(why=""), name="decision_says_why"),
        ]
        indexes = [models.Index(fields=["escalation", "-at"], name="decision_by_time")]

    def __str__(self) -> str:
        return f"{self.kind} by {self.who}"
