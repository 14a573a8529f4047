"""Renames: a case that goes by another name now, so that its history follows."""

from django.db import models
from django.utils import timezone

from triage.models.cases import Case
from triage.models.choices import choices, is_one_of
from triage.models.repositories import Repository
from triage.terms import RenameState


class CaseRename(models.Model):
    """One rename that was proposed, confirmed or refused."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="renames")
    # The case with the history, which stays, and the newcomer, which goes into it.
    old = models.ForeignKey(Case, models.CASCADE, null=True, related_name="+", db_index=False)
    new = models.ForeignKey(Case, models.SET_NULL, null=True, blank=True, related_name="+")
    old_title = models.CharField(max_length=3000)
    new_title = models.CharField(max_length=3000)
    # What speaks for it, in a sentence.
    evidence = models.CharField(max_length=300)
    state = models.CharField(
        max_length=9, choices=choices(RenameState), default=RenameState.PROPOSED
    )
    proposed_at = models.DateTimeField(default=timezone.now)
    # Who confirmed or refused it, and when.
    who = models.CharField(max_length=200, blank=True, default="")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["old", "new", "repository"], name="rename_is_unique"),
            models.CheckConstraint(
                condition=is_one_of("state", RenameState), name="rename_state_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.old_title} → {self.new_title}"
