"""Repositories on GitHub whose workflows may send reports without a token."""

from django.db import models
from django.utils import timezone

from triage.models.repositories import Repository


class WorkflowIdentity(models.Model):
    """A repository as the issuer of its workflows' identity tokens numbers it.

    Names change hands and numbers do not, so that only the number is held against a token.
    """

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="workflow_identities")
    # As the claim "iss" has it.
    issuer = models.URLField()
    # GitHub's number of the repository, the claim "repository_id".
    github_id = models.PositiveBigIntegerField()
    # A person's name, or the command line.
    added_by = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "workflow identities"
        constraints = [
            models.UniqueConstraint(
                fields=["issuer", "github_id"], name="workflow_identity_is_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.github_id} at {self.issuer} for {self.repository}"
