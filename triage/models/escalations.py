"""Escalations: open questions to a person about an ambiguous class."""

from django.db import models
from django.db.models import F, Q

from triage.models.cases import Case
from triage.models.choices import choices, is_one_of
from triage.models.epochs import Epoch
from triage.models.repositories import Repository
from triage.terms import EscalationState


class Escalation(models.Model):
    """One question per case, epoch and unordered pair of labels, however many runs raise it."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="escalations")
    case = models.ForeignKey(Case, models.CASCADE, related_name="escalations", db_index=False)
    epoch = models.ForeignKey(Epoch, models.CASCADE, related_name="+")
    # The two labels in alphabetical order.
    first_label = models.CharField(max_length=200)
    second_label = models.CharField(max_length=200)
    state = models.CharField(
        max_length=8, choices=choices(EscalationState), default=EscalationState.OPEN
    )
    # Who is asked: "@team", a person, or empty for the repository's own default.
    owner = models.CharField(max_length=200, blank=True, default="")
    opened_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, blank=True)
    # How far reminding has come: 0 none, 1 at half time, 2 when due, 3 expired.
    reminders = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case", "epoch", "first_label", "second_label", "repository"],
                name="escalation_is_unique",
            ),
            models.CheckConstraint(
                condition=Q(first_label__lt=F("second_label")), name="escalation_labels_in_order"
            ),
            models.CheckConstraint(
                condition=is_one_of("state", EscalationState), name="escalation_state_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case}: {self.first_label} or {self.second_label}"
