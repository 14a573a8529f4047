"""Incidents: stretches of time in which a provider failed for many runs at once."""

from django.db import models
from django.db.models import Q

PROVIDER_LENGTH = 50


class ProviderIncident(models.Model):
    """One incident of a provider, over all repositories of this installation."""

    provider = models.CharField(max_length=PROVIDER_LENGTH)
    opened_at = models.DateTimeField()
    last_error_at = models.DateTimeField()
    # NULL while it goes on.
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["provider"],
                condition=Q(closed_at__isnull=True),
                name="incident_one_is_open",
            )
        ]
        indexes = [models.Index(fields=["-opened_at"], name="incident_by_time")]

    def __str__(self) -> str:
        return f"{self.provider} since {self.opened_at:%Y-%m-%d %H:%M}"
