"""Repositories and the tokens that may act for them."""

import re

from django.db import models
from django.utils import timezone

FULL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+")
FULL_NAME_LENGTH = 200


class Repository(models.Model):
    """A code repository: the wall that nothing crosses."""

    # OWNER/NAME, or OWNER/GROUP/NAME where a forge has groups.
    full_name = models.CharField(max_length=FULL_NAME_LENGTH, unique=True)
    # Runs of this branch without a pull request are the reference that others are held against.
    default_branch = models.CharField(max_length=255, default="main")
    # The text of its CODEOWNERS file; empty when none is known.
    codeowners = models.TextField(blank=True, default="")
    # Whether everybody may read its pages without an account; its admins change it.
    is_public = models.BooleanField(default=False)
    # The slot in the outcome vectors that the next new case takes; only grows.
    next_slot = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.full_name


def upload_and_read() -> list[str]:
    """Return what a token of CI may do unless more is asked for."""
    return ["upload", "read"]


class Token(models.Model):
    """A secret that lets CI act for one repository. Only its digest is stored.

    Rows stay when they no longer work, since uploads name the token that they came with.
    """

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="tokens")
    # What a person called it, so that it can be told from others when it is revoked.
    name = models.CharField(max_length=100)
    # SHA-256 of the secret, hex.
    digest = models.CharField(max_length=64, unique=True)
    # The secret before the last rotation, which works until a stated time; NULL without one.
    previous_digest = models.CharField(max_length=64, null=True, blank=True, unique=True)
    previous_until = models.DateTimeField(null=True, blank=True)
    # When the secret before was last used: whether some job still has to be given the new one.
    previous_used_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    # A person's name, or the command line; empty for one made before this was kept.
    created_by = models.CharField(max_length=200, blank=True, default="")
    rotated_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    # Until when it works; NULL for one without an end.
    expires_at = models.DateTimeField(null=True, blank=True)
    # What it may do: "upload", "read", "decide".
    scopes = models.JSONField(default=upload_and_read)

    def __str__(self) -> str:
        return f"{self.name} ({self.repository})"
