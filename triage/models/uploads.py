"""Uploads: the outbox that nothing accepted can fall out of."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from triage.models.choices import choices, is_one_of
from triage.models.repositories import Repository, Token
from triage.models.runs import Part, Run
from triage.terms import OPEN_UPLOADS, UploadState


class Upload(models.Model):
    """One request that brought report files for a part, and how far its work has come."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="uploads", db_index=False
    )
    run = models.ForeignKey(Run, models.CASCADE, related_name="uploads")
    part = models.ForeignKey(Part, models.CASCADE, related_name="uploads", db_index=False)
    # NULL for an upload of the command line or of a workflow.
    token = models.ForeignKey(Token, models.SET_NULL, null=True, blank=True, related_name="+")
    # What the client sent to make a retry recognisable; NULL when it sent nothing.
    idempotency_key = models.CharField(max_length=255, null=True, blank=True)
    # SHA-256 over names and bytes of all files, hex.
    content_sha256 = models.CharField(max_length=64)
    # Names in the upload storage, in the order sent: [{"name", "stored_as", "bytes"}].
    files = models.JSONField(default=list)
    state = models.CharField(
        max_length=16, choices=choices(UploadState), default=UploadState.RECEIVED
    )
    # How often the work was started; past a limit the upload is set aside as dead.
    attempts = models.PositiveIntegerField(default=0)
    # Until when a worker owns the work; NULL or past means that any worker may take it.
    leased_until = models.DateTimeField(null=True, blank=True)
    # Why the last try ended badly, for people.
    error = models.TextField(blank=True, default="")
    # What was read: files, counts, warnings, what was ignored and refused (the import report).
    reading = models.JSONField(default=dict)
    received_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "idempotency_key"],
                condition=Q(idempotency_key__isnull=False),
                name="upload_key_is_unique",
            ),
            models.UniqueConstraint(
                fields=["part", "content_sha256", "repository"], name="upload_content_is_unique"
            ),
            models.CheckConstraint(
                condition=is_one_of("state", UploadState), name="upload_state_known"
            ),
        ]
        indexes = [
            models.Index(
                fields=["leased_until"],
                name="upload_open",
                condition=Q(state__in=[*OPEN_UPLOADS]),
            ),
            models.Index(fields=["repository", "-received_at"], name="upload_by_time"),
        ]

    def __str__(self) -> str:
        return f"upload {self.id} ({self.state})"
