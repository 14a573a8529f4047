"""Circumstances: the calls of an epoch by the conditions that they were made under."""

from django.db import models
from django.db.models import F, Q

from triage.models.epochs import Epoch
from triage.models.repositories import Repository

FINGERPRINT_LENGTH = 100


class Told(models.IntegerChoices):
    """What a call told about something that either was or was not so."""

    NOT_TOLD = -1
    NO = 0
    YES = 1


class EpochCircumstance(models.Model):
    """The calls of one epoch that were made under the same circumstances."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    epoch = models.ForeignKey(Epoch, models.CASCADE, related_name="circumstances", db_index=False)
    # Six hours of the UTC day, 0 to 3.
    hours = models.PositiveSmallIntegerField()
    # What the provider calls its configuration; empty where it was not told.
    fingerprint = models.CharField(max_length=FINGERPRINT_LENGTH, blank=True, default="")
    # Whether a part of the prompt came out of the provider's cache.
    cache_hit = models.SmallIntegerField(choices=Told, default=Told.NOT_TOLD)
    # Whether predicted tokens were accepted: speculative decoding took part.
    speculation = models.SmallIntegerField(choices=Told, default=Told.NOT_TOLD)
    calls = models.PositiveIntegerField(default=0)
    # Of these, how many differed in anything that a budget may pay for, and in the label.
    wording = models.PositiveIntegerField(default=0)
    label = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["epoch", "hours", "fingerprint", "cache_hit", "speculation", "repository"],
                name="epoch_circumstance_is_unique",
            ),
            models.CheckConstraint(
                condition=Q(calls__gte=F("wording") + F("label")),
                name="epoch_circumstance_parts_fit_calls",
            ),
            models.CheckConstraint(condition=Q(hours__lt=4), name="epoch_circumstance_hours"),
        ]

    def __str__(self) -> str:
        return f"{self.epoch}: {self.calls} calls"
