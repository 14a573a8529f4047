"""The ledger of what was charged to flake budgets."""

from django.db import models
from django.db.models import Q

# Differences that a budget may pay for. A label is not among them, and never will be.
CHARGEABLE = ("text", "invalid", "unknown")


class Charge(models.Model):
    """One entry of the ledger: a divergence paid for, or taken back. Never changed."""

    repository = models.ForeignKey(
        "triage.Repository", models.CASCADE, related_name="charges", db_index=False
    )
    case = models.ForeignKey("triage.Case", models.CASCADE, related_name="charges", db_index=False)
    epoch = models.ForeignKey(
        "triage.Epoch", models.CASCADE, null=True, blank=True, related_name="charges"
    )
    # The run that caused it; NULL once the run is gone.
    run = models.ForeignKey(
        "triage.Run", models.SET_NULL, null=True, blank=True, related_name="charges"
    )
    # What the entries are for: the same divergence always makes the same event.
    event = models.CharField(max_length=300)
    # 0 is the charge, 1 its reversal, 2 a charge again after a further judgement, and so on.
    number = models.PositiveIntegerField(default=0)
    difference = models.CharField(max_length=8)
    # 1 charges a divergence, -1 takes a charge back.
    amount = models.SmallIntegerField()
    reason = models.CharField(max_length=300)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "event", "number"], name="charge_is_unique"
            ),
            models.CheckConstraint(
                condition=Q(amount__in=[1, -1]), name="charge_amount_is_one_call"
            ),
            models.CheckConstraint(
                condition=Q(difference__in=CHARGEABLE), name="charge_is_never_for_a_flip"
            ),
        ]
        indexes = [
            models.Index(fields=["case", "at"], name="charge_by_case"),
            models.Index(fields=["repository", "at"], name="charge_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.amount:+d} {self.case_id} {self.event}"
