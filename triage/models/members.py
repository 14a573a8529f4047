"""People: what they may do in a repository, how they were let in, and what they did."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from triage.models.choices import choices, is_one_of
from triage.models.repositories import Repository
from triage.terms import Role

NAME_LENGTH = 150


class Membership(models.Model):
    """What one person may do in one repository."""

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="memberships", db_index=False
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=8, choices=choices(Role))
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "user"], name="membership_is_unique"),
            models.CheckConstraint(condition=is_one_of("role", Role), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.repository}"


class ForgeRole(models.Model):
    """What a forge's permission gives one person in one repository, beside a ``Membership``."""

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="forge_roles", db_index=False
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="forge_roles")
    role = models.CharField(max_length=8, choices=choices(Role))
    # When the forge last said so; a role that was not confirmed for a day does not count.
    confirmed_at = models.DateTimeField(default=timezone.now)
    # Since when the forge has to be asked again; NULL while nothing is asked.
    asked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "user"], name="forge_role_is_unique"),
            models.CheckConstraint(condition=is_one_of("role", Role), name="forge_role_known"),
        ]
        indexes = [
            models.Index(
                fields=["asked_at"],
                name="forge_role_asked",
                condition=models.Q(asked_at__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.repository} by the forge"


class Invitation(models.Model):
    """A link that makes one account, once. Only its digest is stored."""

    # SHA-256 of the secret in the link, hex.
    digest = models.CharField(max_length=64, unique=True)
    # The name that the account will have.
    name = models.CharField(max_length=NAME_LENGTH)
    # NULL for an administrator of the whole installation.
    repository = models.ForeignKey(
        Repository, models.CASCADE, null=True, blank=True, related_name="invitations"
    )
    role = models.CharField(max_length=8, choices=choices(Role), default=Role.VIEWER)
    invited_by = models.CharField(max_length=NAME_LENGTH)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"invitation of {self.name}"


class AuditEntry(models.Model):
    """Something that a person changed, or tried to. Never changed itself."""

    # NULL for what concerns the whole installation.
    repository = models.ForeignKey(
        Repository, models.CASCADE, null=True, blank=True, related_name="audit", db_index=False
    )
    who = models.CharField(max_length=NAME_LENGTH)
    action = models.CharField(max_length=50)
    # What it was done to, for people, and what else was told; never a secret.
    subject = models.CharField(max_length=300, blank=True, default="")
    detail = models.JSONField(default=dict)
    address = models.GenericIPAddressField(null=True, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["repository", "-at"], name="audit_by_time"),
            models.Index(fields=["action", "address", "-at"], name="audit_by_address"),
        ]

    def __str__(self) -> str:
        return f"{self.who}: {self.action} {self.subject}"
