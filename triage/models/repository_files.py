"""What was last read of a repository's default branch: its policy and its owners."""

from django.db import models

from triage.models.repositories import Repository


class RepositoryFiles(models.Model):
    """When and where the files were read; their texts are the policy and the owners in force."""

    repository = models.OneToOneField(Repository, models.CASCADE, related_name="files")
    # ETag by path, of the files that there are: what has not changed costs nothing to ask for.
    etags = models.JSONField(default=dict)
    # When the forge was asked last; NULL when a push has changed them since.
    checked_at = models.DateTimeField(null=True, blank=True)
    # Why the last reading failed, for people; what was read before stays in force.
    error = models.TextField(blank=True, default="")

    class Meta:
        verbose_name_plural = "repository files"

    def __str__(self) -> str:
        return f"files of {self.repository}"
