"""Policies that came in: the text as it was written, and whether it could be used."""

from django.db import models
from django.utils import timezone

from triage.models.choices import choices, is_one_of
from triage.models.repositories import Repository
from triage.terms import PolicySource, PolicyState


class StoredPolicy(models.Model):
    """One policy of a repository. The newest accepted one is in force; none is ever changed."""

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="policies", db_index=False
    )
    # At most 64 KiB; of a refused file that is larger, its beginning.
    text = models.TextField()
    # SHA-256 of the text, hex: verdicts name the policy that judged by it.
    sha256 = models.CharField(max_length=64)
    source = models.CharField(max_length=8, choices=choices(PolicySource))
    state = models.CharField(max_length=8, choices=choices(PolicyState))
    # Why it was refused: [{"line", "column", "path", "value", "message"}], lines and columns
    # from 1.
    errors = models.JSONField(default=list, blank=True)
    # The commit and the branch it came with; empty for one set by a command.
    commit_sha = models.CharField(max_length=64, blank=True, default="")
    branch = models.CharField(max_length=255, blank=True, default="")
    # Since when it holds: the time of its run, or of the command.
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=is_one_of("source", PolicySource), name="policy_source_known"
            ),
            models.CheckConstraint(
                condition=is_one_of("state", PolicyState), name="policy_state_known"
            ),
        ]
        indexes = [models.Index(fields=["repository", "state", "-at"], name="policy_by_time")]

    def __str__(self) -> str:
        return f"{self.state} policy {self.sha256[:12]} of {self.repository}"
