"""Budgets and the ledger of what was charged to them."""

from django.db import models
from django.db.models import Q

# Differences that a budget may pay for. A label is not among them, and never will be.
CHARGEABLE = ("text", "invalid", "unknown")


class Budget(models.Model):
    """The accepted rate of divergences for a scope over a window."""

    # "case": each case that matches has this budget for itself; "repository": all share it.
    SCOPES = [("case", "case"), ("repository", "repository")]
    ON_SPENT = [("block", "block"), ("warn", "warn")]

    repository = models.ForeignKey("triage.Repository", models.CASCADE, related_name="budgets")
    scope = models.CharField(max_length=10, choices=SCOPES)
    # Glob that the case's title matches; "**" is every case.
    match = models.CharField(max_length=500, default="**")
    # Accepted divergences per call; NULL: the case's own rate when its epoch was accepted.
    rate_per_call = models.FloatField(null=True, blank=True)
    # The window whose charges and calls count, in days up to the run that is judged.
    window_days = models.PositiveIntegerField(default=30)
    # Whether a spent budget fails the run or is only told.
    on_spent = models.CharField(max_length=5, choices=ON_SPENT, default="block")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "scope", "match"], name="budget_is_unique"
            ),
            models.CheckConstraint(
                condition=Q(rate_per_call__isnull=True)
                | (Q(rate_per_call__gt=0.0) & Q(rate_per_call__lt=1.0)),
                name="budget_rate_is_a_rate",
            ),
            models.CheckConstraint(
                condition=Q(scope__in=["case", "repository"]), name="budget_scope_known"
            ),
            models.CheckConstraint(
                condition=Q(on_spent__in=["block", "warn"]), name="budget_on_spent_known"
            ),
            models.CheckConstraint(condition=Q(window_days__gte=1), name="budget_window_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.scope} budget {self.match}"


class Charge(models.Model):
    """One entry of the ledger: a divergence paid for, or taken back. Never changed."""

    repository = models.ForeignKey("triage.Repository", models.CASCADE, related_name="charges")
    case = models.ForeignKey("triage.Case", models.CASCADE, related_name="charges")
    epoch = models.ForeignKey(
        "triage.Epoch", models.CASCADE, null=True, blank=True, related_name="charges"
    )
    # The run that caused it; NULL once the run is pruned.
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
