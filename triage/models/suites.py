"""What is watched over all LLM cases of a repository together."""

from django.db import models

from triage.models.repositories import Repository


class SuiteState(models.Model):
    """The state of a suite's detector, and how well margins forecast its flips so far."""

    repository = models.OneToOneField(Repository, models.CASCADE, related_name="suite_state")
    # Four log values (see budgets/monitor.py); empty before the first run.
    monitor = models.JSONField(default=list)
    # Forecasts that were held against what came: calls, flips among them, and the two sums of
    # log losses in nats, of the forecast from margins and of that from counts.
    forecast_calls = models.PositiveIntegerField(default=0)
    forecast_flips = models.PositiveIntegerField(default=0)
    margin_loss = models.FloatField(default=0.0)
    count_loss = models.FloatField(default=0.0)

    def __str__(self) -> str:
        return f"suite of {self.repository}"
