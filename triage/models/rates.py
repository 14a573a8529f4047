"""How much of its rate each caller has used up."""

from django.db import models

from triage.models.repositories import Repository

KEY_LENGTH = 100


class RequestRate(models.Model):
    """One caller's requests, as the moment at which all of them are worked off."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+", db_index=False)
    # Who asks: "token 7", or all workflows without a token.
    caller = models.CharField(max_length=KEY_LENGTH)
    # Seconds since 1970: each request moves it on by its share of a minute, and it is never
    # more than a minute ahead.
    busy_until = models.FloatField(default=0.0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "caller"], name="request_rate_is_unique")
        ]

    def __str__(self) -> str:
        return f"{self.caller} of {self.repository}"
