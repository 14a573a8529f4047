"""How the verdicts of a repository are shown, where a person chose it."""

from django.db import models
from django.utils import timezone

from triage.models.choices import choices, is_one_of
from triage.models.repositories import FULL_NAME_LENGTH, Repository
from triage.terms import PublisherKind


class ForgeSettings(models.Model):
    """The publisher of one repository. Without a row, the GitHub App publishes if installed."""

    repository = models.OneToOneField(Repository, models.CASCADE, related_name="forge_settings")
    kind = models.CharField(max_length=16, choices=choices(PublisherKind))
    # Where the forge has its API; empty for a kind without a token.
    api_url = models.URLField(blank=True, default="")
    # The repository's name there: OWNER/NAME, or GROUP/…/NAME.
    project = models.CharField(max_length=FULL_NAME_LENGTH, blank=True, default="")
    sealed_token = models.TextField(blank=True, default="")
    # A forge wants pauses between writes; the next one may start then.
    next_write_at = models.DateTimeField(default=timezone.now)
    # Who chose it: a person's name, or the command line.
    changed_by = models.CharField(max_length=200)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "forge settings"
        constraints = [
            models.CheckConstraint(
                condition=is_one_of("kind", PublisherKind), name="publisher_kind_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.repository}"
