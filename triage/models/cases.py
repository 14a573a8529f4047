"""Cases: one test's identity in a repository."""

from django.db import models
from django.utils import timezone

from triage.models.repositories import Repository


class Case(models.Model):
    """A test, as its name in the reports tells it apart. Kept until its repository goes."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="cases", db_index=False)
    # SHA-256 of the normalised identity, hex: names may be longer than an index takes.
    key = models.CharField(max_length=64)
    # Position in the outcome vectors of the repository.
    slot = models.PositiveIntegerField()
    # What the report said, cut for display.
    suite = models.CharField(max_length=1000, blank=True, default="")
    file = models.CharField(max_length=1000, blank=True, default="")
    classname = models.CharField(max_length=1000, blank=True, default="")
    name = models.CharField(max_length=1000)
    # What people read and search for: file::class::name, without what is said twice.
    title = models.CharField(max_length=3000)
    # Whether a report ever told of an LLM call in it.
    is_llm = models.BooleanField(default=False)
    # Whether its reporter leaves no trace of retries, so that "no flakes" proves nothing.
    hides_retries = models.BooleanField(default=False)
    # What its reporter leaves out and the line that adds it; empty when nothing is missing.
    missing_evidence = models.CharField(max_length=500, blank=True, default="")
    # The closed set of labels that its reports told; empty when they told none.
    labels = models.JSONField(default=list, blank=True)
    first_seen_at = models.DateTimeField(default=timezone.now)
    last_seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "key"], name="case_is_unique"),
            models.UniqueConstraint(fields=["repository", "slot"], name="case_slot_is_unique"),
        ]
        indexes = [models.Index(fields=["repository", "is_llm"], name="case_llm")]

    def __str__(self) -> str:
        return self.title
