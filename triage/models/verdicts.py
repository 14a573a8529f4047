"""Verdicts and findings: what was judged, by which rules, from which numbers."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from triage.models.cases import Case
from triage.models.choices import choices, is_one_of
from triage.models.repositories import Repository
from triage.models.results import Result
from triage.models.runs import Run
from triage.terms import Conclusion, Difference, FindingKind


class Verdict(models.Model):
    """The judgement of a run. Judging again adds a revision; none is ever changed."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, models.CASCADE, related_name="verdicts", db_index=False)
    # 1 for the first judgement of the run.
    revision = models.PositiveIntegerField()
    # Whether no later revision exists.
    is_current = models.BooleanField(default=True)
    conclusion = models.CharField(max_length=20, choices=choices(Conclusion))
    # Version of the rules that judged.
    rules = models.PositiveIntegerField()
    # The whole verdict as it was answered (DESIGN: verdict JSON).
    document = models.JSONField()
    judged_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "revision", "repository"], name="verdict_is_unique"
            ),
            models.UniqueConstraint(
                fields=["run", "repository"],
                condition=Q(is_current=True),
                name="verdict_one_is_current",
            ),
            models.CheckConstraint(
                condition=is_one_of("conclusion", Conclusion), name="verdict_conclusion_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run}: {self.conclusion}"


class Finding(models.Model):
    """The judgement of one result within a verdict."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    verdict = models.ForeignKey(Verdict, models.CASCADE, related_name="findings", db_index=False)
    case = models.ForeignKey(Case, models.CASCADE, related_name="findings", db_index=False)
    result = models.ForeignKey(Result, models.CASCADE, related_name="findings")
    kind = models.CharField(max_length=20, choices=choices(FindingKind))
    difference = models.CharField(max_length=8, choices=choices(Difference))
    expected = models.CharField(max_length=200, null=True, blank=True)
    observed = models.CharField(max_length=200, null=True, blank=True)
    # One sentence with the numbers in it.
    reason = models.TextField()
    # What the judgement was made of: counts, prior, evidence, thresholds, rule version.
    receipt = models.JSONField()
    # When the run took place, so that a case's strip is one index scan.
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["verdict", "result", "repository"], name="finding_is_unique"
            ),
            models.CheckConstraint(
                condition=is_one_of("kind", FindingKind), name="finding_kind_known"
            ),
            # The sentence that is the product, where no code path can get around it.
            models.CheckConstraint(
                condition=~(
                    Q(difference=Difference.LABEL)
                    & Q(kind__in=[FindingKind.EXPECTED_FLAKE, FindingKind.OVER_BUDGET])
                ),
                name="finding_flip_is_never_a_flake",
            ),
            models.CheckConstraint(
                condition=~Q(kind=FindingKind.MUTED) | Q(difference=Difference.TEXT),
                name="finding_mute_is_for_wording_alone",
            ),
        ]
        indexes = [models.Index(fields=["case", "-at"], name="finding_by_case")]

    def __str__(self) -> str:
        return f"{self.case}: {self.kind}"
