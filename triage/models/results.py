"""Results that did not simply pass, with the calls behind them."""

from django.db import models
from django.db.models import Q

from triage.models.cases import Case
from triage.models.choices import choices, is_one_of
from triage.models.epochs import Epoch
from triage.models.incidents import PROVIDER_LENGTH
from triage.models.repositories import Repository
from triage.models.runs import Part, Run
from triage.terms import Difference, Merge, Outcome


class FailureText(models.Model):
    """The text of a failure, stored once per repository however often it recurs."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+", db_index=False)
    # SHA-256 of the text as stored, hex.
    sha256 = models.CharField(max_length=64)
    text = models.TextField()
    # Characters before the text was cut.
    length = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "sha256"], name="text_is_unique")
        ]

    def __str__(self) -> str:
        return self.text[:80]


class Result(models.Model):
    """One case's outcome in one part, kept when it failed, was retried or flipped.

    A plain pass has no row: it is a code in the part's vector and a call in the tallies.
    """

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+", db_index=False)
    run = models.ForeignKey(Run, models.CASCADE, related_name="results")
    part = models.ForeignKey(Part, models.CASCADE, related_name="results", db_index=False)
    case = models.ForeignKey(Case, models.CASCADE, related_name="results", db_index=False)
    epoch = models.ForeignKey(Epoch, models.SET_NULL, null=True, blank=True, related_name="+")
    outcome = models.CharField(max_length=8, choices=choices(Outcome))
    # Why several entries of the report belong to this result.
    merge = models.CharField(max_length=12, choices=choices(Merge), default=Merge.SINGLE)
    tries = models.PositiveIntegerField(default=1)
    # Seconds; NULL when the report told none.
    duration_s = models.FloatField(null=True, blank=True)
    # What differs; NULL when every try passed with the expected label.
    difference = models.CharField(max_length=8, choices=choices(Difference), null=True, blank=True)
    # The first line of the failure, for lists.
    message = models.CharField(max_length=500, blank=True, default="")
    text = models.ForeignKey(
        FailureText, models.SET_NULL, null=True, blank=True, related_name="results"
    )
    # Fingerprint of the failure with numbers, ids, paths and values masked, hex.
    signature = models.CharField(max_length=64, blank=True, default="")
    # Who did not answer, where that is what differs.
    provider = models.CharField(max_length=PROVIDER_LENGTH, blank=True, default="")
    # Where the test stands in its file; NULL when not told.
    line = models.PositiveIntegerField(null=True, blank=True)
    # Whether its calls are in the tallies; a proven regression of a change is taken out again.
    is_counted = models.BooleanField(default=True)
    # What its tries told of their calls, in order: [fingerprint, cache hit, speculation].
    circumstances = models.JSONField(default=list, blank=True)
    # The case's tallies before this run, which every judgement of it starts from.
    history = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["part", "case", "repository"], name="result_is_unique"),
            models.CheckConstraint(
                condition=is_one_of("outcome", Outcome), name="result_outcome_known"
            ),
            models.CheckConstraint(
                condition=Q(difference__isnull=True) | is_one_of("difference", Difference),
                name="result_difference_known",
            ),
        ]
        indexes = [
            models.Index(fields=["case", "-at"], name="result_by_case"),
            models.Index(fields=["repository", "signature", "-at"], name="result_by_signature"),
            models.Index(
                fields=["provider", "at"],
                name="result_by_provider",
                condition=Q(difference=Difference.PROVIDER),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case}: {self.outcome}"


class Observation(models.Model):
    """One call of a stored result: what was expected and what came back."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    result = models.ForeignKey(Result, models.CASCADE, related_name="observations", db_index=False)
    # Which try of the result the call belongs to, and which call of the try it is; from 0.
    try_index = models.PositiveIntegerField()
    call_index = models.PositiveIntegerField()
    # What differs in this call; NULL when nothing does.
    difference = models.CharField(max_length=8, choices=choices(Difference), null=True, blank=True)
    # Labels; NULL when the call told none.
    expected = models.CharField(max_length=200, null=True, blank=True)
    observed = models.CharField(max_length=200, null=True, blank=True)
    # Probability of the observed label, in [0, 1].
    confidence = models.FloatField(null=True, blank=True)
    # Log-probability gap of the two best labels, in nats.
    margin = models.FloatField(null=True, blank=True)
    # The provider's id of the call; cases that share one flip together.
    response_id = models.CharField(max_length=200, blank=True, default="")
    output_sha256 = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        ordering = ["result", "try_index", "call_index"]
        constraints = [
            models.UniqueConstraint(
                fields=["result", "try_index", "call_index", "repository"],
                name="observation_is_unique",
            ),
            models.CheckConstraint(
                condition=Q(confidence__isnull=True)
                | (Q(confidence__gte=0.0) & Q(confidence__lte=1.0)),
                name="observation_confidence_is_a_probability",
            ),
            models.CheckConstraint(
                condition=Q(margin__isnull=True) | Q(margin__gte=0.0),
                name="observation_margin_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.expected} → {self.observed}"
