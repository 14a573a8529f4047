"""Runs and their parts: what CI executed."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from triage.models.choices import choices, is_one_of
from triage.models.repositories import Repository
from triage.terms import RunEnd


class Run(models.Model):
    """One CI execution of a commit, made of one or more parts."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="runs", db_index=False)
    # The commit that was tested, hex; of a pull request its head, not the merge commit.
    sha = models.CharField(max_length=64)
    # The merge of the pull request that CI tested, where the client told that; empty otherwise.
    merge_sha = models.CharField(max_length=64, blank=True, default="")
    # The CI system's own id of the run; attempts of one run share it. Empty: CI told none.
    ci_run_id = models.CharField(max_length=200, blank=True, default="")
    # 1 for the first execution; each re-run of the same CI run counts up.
    attempt = models.PositiveIntegerField(default=1)
    branch = models.CharField(max_length=255, blank=True, default="")
    # Number of the pull request; NULL for a run of a branch.
    pr = models.PositiveIntegerField(null=True, blank=True)
    # The commit a pull request is compared with; empty when not told.
    base_sha = models.CharField(max_length=64, blank=True, default="")
    # Whether the run is of the default branch, so that others are held against it.
    is_reference = models.BooleanField(default=False)
    # Whether whoever reported it was let in by a token. What a fork reports is judged, and kept out
    # of history, budgets and everything that others are held against.
    is_trusted = models.BooleanField(default=True)
    # What is wrong with the policy that its change proposes, with lines and columns.
    policy_errors = models.JSONField(default=list, blank=True)
    # How many parts the run has; NULL until a part tells.
    parts_expected = models.PositiveIntegerField(null=True, blank=True)
    # Whether a report of the run was cut off: cases may be missing.
    is_incomplete = models.BooleanField(default=False)
    # When no further part was awaited any more, and how that became known.
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.CharField(max_length=8, choices=choices(RunEnd), blank=True, default="")
    # When a run that waits for further parts is looked at again; NULL when it waits for none.
    look_at = models.DateTimeField(null=True, blank=True)
    # When its results were deleted for their age; the row stays, so that a report of it is never
    # counted again. NULL while they are kept.
    pruned_at = models.DateTimeField(null=True, blank=True)
    # When the run took place, which is not when it was uploaded if history is replayed.
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "sha", "ci_run_id", "attempt"], name="run_is_unique"
            ),
            models.CheckConstraint(condition=Q(attempt__gte=1), name="run_attempt_from_1"),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, closed_by="") | is_one_of("closed_by", RunEnd),
                name="run_end_known",
            ),
        ]
        indexes = [
            models.Index(fields=["repository", "-at"], name="run_by_time"),
            models.Index(
                fields=["repository", "-at"],
                name="run_reference_by_time",
                condition=Q(is_reference=True),
            ),
            models.Index(
                fields=["look_at"], name="run_waiting", condition=Q(look_at__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.repository} {self.sha[:7]} attempt {self.attempt}"


class Part(models.Model):
    """One leg of a run, with the outcome of every case in two vectors."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, models.CASCADE, related_name="parts", db_index=False)
    # Job and position, which name the same leg in every attempt: "llm-tests 2/4"; empty if told.
    name = models.CharField(max_length=255, blank=True, default="")
    # Position among the parts, from 1; NULL when the run has one unnumbered part.
    index = models.PositiveIntegerField(null=True, blank=True)
    # Outcome codes, 1 byte per case slot, and log durations, 1 byte per case slot; both deflated
    # (see vectors.py).
    outcomes = models.BinaryField(default=bytes)
    durations = models.BinaryField(default=bytes)
    # Number of the LLM call that a case shares with others of the part, 4 bytes per case slot,
    # deflated; 0 is a call of its own. Cases of one call fail together and count once.
    call_groups = models.BinaryField(default=bytes)
    # Cases by outcome, and how many of them are LLM cases.
    passed = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    errored = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    llm = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "name", "repository"], name="part_is_unique"),
            models.CheckConstraint(condition=Q(index__gte=1), name="part_index_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.run} part {self.name or '1'}"
