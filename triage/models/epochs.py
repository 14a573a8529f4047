"""Epochs and their tallies: what a case did under one snapshot, prompt and test."""

from django.db import models
from django.db.models import F, Q

from triage.models.cases import Case
from triage.models.repositories import Repository


class Tally(models.Model):
    """Calls counted by how they ended. Provider errors stand apart from every rate."""

    # Calls that got an answer, whatever it was.
    calls = models.PositiveIntegerField(default=0)
    # Of these, how many differed in the wording, in the label, in form, or in no known way.
    text = models.PositiveIntegerField(default=0)
    label = models.PositiveIntegerField(default=0)
    invalid = models.PositiveIntegerField(default=0)
    unknown = models.PositiveIntegerField(default=0)
    # Of these, how many ended in an exception of the test's own code.
    crash = models.PositiveIntegerField(default=0)
    # Calls that the endpoint did not answer; not among ``calls``.
    provider = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True

    @staticmethod
    def parts_fit_calls(name: str) -> models.CheckConstraint:
        """Return the constraint that the differing calls are some of the calls."""
        parts = F("text") + F("label") + F("invalid") + F("unknown") + F("crash")
        return models.CheckConstraint(condition=Q(calls__gte=parts), name=name)


class Epoch(Tally):
    """A stretch of a case's history under one model snapshot, prompt and test code."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    case = models.ForeignKey(Case, models.CASCADE, related_name="epochs", db_index=False)
    # 1, 2, … in the order of appearance.
    number = models.PositiveIntegerField()
    # What makes the epoch; empty where a report does not tell.
    model_snapshot = models.CharField(max_length=200, blank=True, default="")
    prompt_sha256 = models.CharField(max_length=64, blank=True, default="")
    test_sha256 = models.CharField(max_length=64, blank=True, default="")
    # The alias that was asked for; with an empty snapshot the model is not pinned.
    model_requested = models.CharField(max_length=200, blank=True, default="")
    # What its test compares, as it told last: "bytes", "parsed", "invariant", "judge"; or nothing.
    assertion = models.CharField(max_length=10, blank=True, default="")
    # Results that made these calls: calls divided by results is what a run costs the case.
    results = models.PositiveIntegerField(default=0)
    # Accepted rate of text differences per call, frozen once the epoch has enough calls; NULL
    # before.
    accepted_rate = models.FloatField(null=True, blank=True)
    # State of the monitor, six log values (see budgets/monitor.py); empty before the first update.
    monitor = models.JSONField(default=list)
    # Sums over the recorded margins, in nats and nats squared, signed towards the expected label.
    margins = models.PositiveIntegerField(default=0)
    margin_sum = models.FloatField(default=0.0)
    margin_squares = models.FloatField(default=0.0)
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case", "number", "repository"], name="epoch_is_unique"
            ),
            models.UniqueConstraint(
                fields=["case", "model_snapshot", "prompt_sha256", "test_sha256", "repository"],
                name="epoch_identity_is_unique",
            ),
            models.CheckConstraint(
                condition=Q(accepted_rate__isnull=True)
                | (Q(accepted_rate__gte=0.0) & Q(accepted_rate__lte=1.0)),
                name="epoch_accepted_rate_is_a_rate",
            ),
            Tally.parts_fit_calls("epoch_parts_fit_calls"),
        ]

    def __str__(self) -> str:
        return f"{self.case} epoch {self.number}"


class EpochDay(Tally):
    """The tally of one epoch on one UTC day: charts, windows and burn."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+", db_index=False)
    epoch = models.ForeignKey(Epoch, models.CASCADE, related_name="days", db_index=False)
    day = models.DateField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["epoch", "day", "repository"], name="epoch_day_is_unique"
            ),
            Tally.parts_fit_calls("epoch_day_parts_fit_calls"),
        ]
        indexes = [models.Index(fields=["repository", "day"], name="epoch_day_by_day")]

    def __str__(self) -> str:
        return f"{self.epoch} on {self.day}"


class EpochHour(Tally):
    """The tally of one epoch in one UTC hour of the day: load patterns."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    epoch = models.ForeignKey(Epoch, models.CASCADE, related_name="hours", db_index=False)
    hour = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["epoch", "hour", "repository"], name="epoch_hour_is_unique"
            ),
            models.CheckConstraint(condition=Q(hour__lt=24), name="epoch_hour_of_the_day"),
            Tally.parts_fit_calls("epoch_hour_parts_fit_calls"),
        ]

    def __str__(self) -> str:
        return f"{self.epoch} at {self.hour}:00"


class EpochLabel(models.Model):
    """How often a label was observed where another, or the same, was expected."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    epoch = models.ForeignKey(Epoch, models.CASCADE, related_name="label_counts", db_index=False)
    expected = models.CharField(max_length=200)
    observed = models.CharField(max_length=200)
    calls = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["epoch", "expected", "observed", "repository"], name="epoch_label_is_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.expected} → {self.observed}: {self.calls}"
