"""Add, remove and try out the channels of a repository."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time
from zoneinfo import available_timezones

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from triage.errors import InvalidRequestError, NotFoundError
from triage.models import Channel, Delivery, Repository
from triage.notifications.outbox import put_now
from triage.notifications.signing import new_secret
from triage.notifications.starting import start_after_commit
from triage.notifications.web_addresses import read_web_address
from triage.sealing import seal
from triage.terms import ChannelKind, DeliveryState, Digest, NotificationEvent

# What a channel may be told; a test message is sent to the channel that is tested alone.
EVENTS = tuple(event for event in NotificationEvent if event is not NotificationEvent.TEST)
MOST_CHANNELS = 20
NAME_LENGTH = 100


@dataclass(frozen=True, slots=True)
class ChannelRequest:
    """A channel as somebody asks for it."""

    name: str
    kind: ChannelKind
    target: str
    events: Sequence[NotificationEvent] = EVENTS
    tells_all_branches: bool = False
    digest: Digest = Digest.NONE
    quiet: tuple[time, time] | None = None
    time_zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class AddedChannel:
    """A channel, and the secret that its messages are signed with, which is shown this once."""

    channel: Channel
    signing_secret: str


def add_channel(repository: Repository, asked: ChannelRequest, who: str) -> AddedChannel:
    """Add a channel; raise ``InvalidRequestError`` saying what is not legal."""
    _check(asked)
    shown = _shown_target(asked)
    secret = new_secret() if asked.kind is ChannelKind.WEBHOOK else ""
    with transaction.atomic():
        Repository.objects.select_for_update().get(pk=repository.pk)
        _refuse_repeated_or_many(repository, asked.name)
        channel = Channel.objects.create(
            repository=repository,
            name=asked.name,
            kind=asked.kind,
            target=seal(asked.target),
            shown_target=shown,
            signing_secret=seal(secret) if secret else "",
            events=[event.value for event in asked.events],
            tells_all_branches=asked.tells_all_branches,
            digest=asked.digest,
            quiet_from=asked.quiet[0] if asked.quiet else None,
            quiet_until=asked.quiet[1] if asked.quiet else None,
            time_zone=asked.time_zone,
            added_by=who,
        )
    return AddedChannel(channel, secret)


def channels_of(repository: Repository) -> list[Channel]:
    """Return the channels of a repository, oldest first."""
    return list(
        Channel.objects.filter(repository=repository, removed_at__isnull=True).order_by("pk")
    )


def find_channel(repository: Repository, name: str) -> Channel:
    """Return the channel of this name; raise ``NotFoundError`` naming those that there are."""
    channels = {channel.name: channel for channel in channels_of(repository)}
    if name in channels:
        return channels[name]
    known = ", ".join(channels) or "none yet"
    raise NotFoundError(f"{repository} has no channel {name!r}; known: {known}")


def remove_channel(channel: Channel) -> None:
    """Stop telling a channel and forget its secrets; what was sent to it stays listed."""
    Channel.objects.filter(pk=channel.pk).update(
        removed_at=timezone.now(), target="", signing_secret=""
    )


def send_test(channel: Channel, who: str) -> Delivery:
    """Send a test message at once, whatever the channel's rhythm, and return its delivery."""
    payload = {
        "headline": f"{who} asked whether this channel works. It does.",
        "url": settings.TIEBREAK_URL,
    }
    return put_now(channel, NotificationEvent.TEST, payload, key=f"test:{uuid.uuid4()}")


def send_again(delivery: Delivery) -> None:
    """Send a message once more, under its old id, as if it had not been tried yet."""
    with transaction.atomic():
        ended = Delivery.objects.filter(pk=delivery.pk).exclude(state=DeliveryState.WAITING)
        if ended.update(state=DeliveryState.WAITING, tries=0, due_at=timezone.now()):
            start_after_commit(delivery.pk)


def _check(asked: ChannelRequest) -> None:
    if not 0 < len(asked.name) <= NAME_LENGTH or not asked.name.isprintable():
        raise InvalidRequestError(
            f"the name must have 1 to {NAME_LENGTH} printable characters, got {asked.name[:80]!r}"
        )
    if not asked.events:
        raise InvalidRequestError(f"no event was named; legal: {', '.join(EVENTS)}")
    if asked.time_zone not in available_timezones():
        raise InvalidRequestError(
            f"the time zone must be an IANA name such as Europe/Berlin, got {asked.time_zone!r}"
        )
    if asked.quiet and asked.quiet[0] == asked.quiet[1]:
        raise InvalidRequestError(
            f"quiet hours must end at another time than they begin, got {asked.quiet[0]:%H:%M} "
            "twice; remove the channel to tell it nothing"
        )


def _shown_target(asked: ChannelRequest) -> str:
    """Return what people may see of a target; raise ``InvalidRequestError`` if it is none."""
    if asked.kind is not ChannelKind.EMAIL:
        return str(read_web_address(asked.target))
    if not settings.EMAIL_URL:
        raise InvalidRequestError(
            "no mail server is set; set EMAIL_URL, for example to smtp+tls://user:password@host:587"
        )
    try:
        validate_email(asked.target)
    except ValidationError:
        raise InvalidRequestError(
            f"the target must be an e-mail address, got {asked.target[:80]!r}"
        ) from None
    return asked.target


def _refuse_repeated_or_many(repository: Repository, name: str) -> None:
    names = [channel.name for channel in channels_of(repository)]
    if name in names:
        raise InvalidRequestError(f"a channel {name!r} is there already; choose another name")
    if len(names) >= MOST_CHANNELS:
        raise InvalidRequestError(
            f"the repository has {len(names)} channels, which is the most; remove one first"
        )
