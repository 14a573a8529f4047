"""Channels and events for tests of the notifications."""

from typing import Any

from triage.models import Channel, Delivery, Repository
from triage.notifications.channels import ChannelRequest, add_channel
from triage.notifications.outbox import emit
from triage.terms import ChannelKind, NotificationEvent

REPO = "acme/support-bot"
BLOCKED = {
    "headline": "Do not merge: 1 label regression (fraud → billing)",
    "details": ["test_ticket[2]: “fraud” became “billing” in 4 of 4 calls."],
    "url": "http://127.0.0.1:8000/runs/7/",
    "commit": "4f2c9ab",
    "is_reference": True,
}


def make_repository(full_name: str = REPO) -> Repository:
    """Make a repository without channels."""
    return Repository.objects.create(full_name=full_name)


def make_channel(
    repository: Repository,
    target: str,
    kind: ChannelKind = ChannelKind.WEBHOOK,
    name: str = "ops",
    **asked: Any,
) -> Channel:
    """Add a channel."""
    return add_channel(repository, ChannelRequest(name, kind, target, **asked), "ada").channel


def emit_blocked(repository: Repository, key: str = "run:7", **payload: Any) -> None:
    """Emit that a run is blocked."""
    emit(repository.pk, NotificationEvent.RUN_BLOCKED, BLOCKED | payload, key=key)


def only_delivery() -> Delivery:
    """Return the only message there is."""
    return Delivery.objects.get()
