"""Notifications: channels, what they are told, and the messages that tell it."""

import uuid

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone

from triage.models.choices import choices, is_one_of
from triage.models.repositories import Repository
from triage.terms import ChannelKind, DeliveryState, Digest, NotificationEvent

RESPONSE_LENGTH = 500
PROBLEM_LENGTH = 500
KEY_LENGTH = 200


class Channel(models.Model):
    """Where a repository's notifications go. A removed one stays for what was sent to it."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="channels")
    # What a person called it, so that it can be told from others.
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=8, choices=choices(ChannelKind))
    # The address or URL, encrypted: the URL of a chat room is its password. Empty once removed.
    target = models.TextField(blank=True)
    # As much of the target as people may see.
    shown_target = models.CharField(max_length=320)
    # What messages are signed with, encrypted; empty where nothing is signed, or once removed.
    signing_secret = models.TextField(blank=True, default="")
    # Events that it is told.
    events = models.JSONField(default=list)
    # Whether it is told of runs outside the default branch, which their pull requests show anyway.
    tells_all_branches = models.BooleanField(default=False)
    digest = models.CharField(max_length=8, choices=choices(Digest), default=Digest.NONE)
    # Between these times of day nothing is sent; both NULL: no quiet hours.
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_until = models.TimeField(null=True, blank=True)
    # IANA name of the zone that quiet hours and digests follow.
    time_zone = models.CharField(max_length=64, default="UTC")
    # Who added it: a person's name, or the command line.
    added_by = models.CharField(max_length=200)
    added_at = models.DateTimeField(default=timezone.now)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "name"],
                condition=Q(removed_at__isnull=True),
                name="channel_name_is_unique",
            ),
            models.CheckConstraint(
                condition=is_one_of("kind", ChannelKind), name="channel_kind_known"
            ),
            models.CheckConstraint(
                condition=is_one_of("digest", Digest), name="channel_digest_known"
            ),
            models.CheckConstraint(
                condition=Q(quiet_from__isnull=True, quiet_until__isnull=True)
                | Q(quiet_from__isnull=False, quiet_until__isnull=False),
                name="channel_quiet_hours_have_both_ends",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.repository})"


class Delivery(models.Model):
    """One message to a channel: the outbox that no notification falls out of."""

    # Sent along, so that a receiver who got a message twice can tell.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+", db_index=False)
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="deliveries")
    state = models.CharField(
        max_length=8, choices=choices(DeliveryState), default=DeliveryState.WAITING
    )
    # Whether it waits for a time of day or a digest, so that further notifications join it.
    is_bundle = models.BooleanField(default=False)
    # How often sending was begun.
    tries = models.PositiveIntegerField(default=0)
    # Before this nothing is tried.
    due_at = models.DateTimeField()
    # Until when a worker owns it; NULL or past means that any worker may take it.
    leased_until = models.DateTimeField(null=True, blank=True)
    # Why the last try failed, for people; empty after a good one.
    problem = models.CharField(max_length=PROBLEM_LENGTH, blank=True, default="")
    # The beginning of what the receiver answered to the last try.
    response = models.CharField(max_length=RESPONSE_LENGTH, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=is_one_of("state", DeliveryState), name="delivery_state_known"
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"],
                name="delivery_waiting",
                condition=Q(state=DeliveryState.WAITING),
            ),
            models.Index(fields=["repository", "-created_at"], name="delivery_by_time"),
        ]

    def __str__(self) -> str:
        return f"delivery {self.id} ({self.state})"


class Notification(models.Model):
    """One event that a channel is told, once however often it is emitted."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    channel = models.ForeignKey(
        Channel, models.CASCADE, related_name="notifications", db_index=False
    )
    delivery = models.ForeignKey(Delivery, models.CASCADE, related_name="notifications")
    event = models.CharField(max_length=30, choices=choices(NotificationEvent))
    # What makes the event the same one when it is emitted again.
    key = models.CharField(max_length=KEY_LENGTH)
    # What there is to tell: "headline", "details" (a list of lines), "url", and plain facts.
    payload = models.JSONField(encoder=DjangoJSONEncoder)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["channel", "key", "repository"], name="notification_is_unique"
            ),
            models.CheckConstraint(
                condition=is_one_of("event", NotificationEvent), name="notification_event_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.channel}"
