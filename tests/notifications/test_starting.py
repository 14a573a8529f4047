"""Handing messages on: whatever goes wrong there, nothing is lost and nothing else fails."""

from typing import Any

import pytest

from tests.notifications.builders import (
    emit_blocked,
    make_channel,
    make_repository,
    only_delivery,
)
from tests.servers.ports import LOOPBACK
from triage.models import Channel
from triage.notifications import sending
from triage.notifications.message import Message
from triage.notifications.starting import start
from triage.terms import ChannelKind, DeliveryState

pytestmark = pytest.mark.django_db

URL = "https://hooks.example/"


def fail(channel: Channel, message: Message) -> str:
    """Go wrong in a way that nobody thought of."""
    raise RuntimeError("a mistake of ours")


def test_a_broker_that_does_not_answer_leaves_the_message_to_the_sweep(
    settings: Any, caplog: pytest.LogCaptureFixture, dead_port: int
) -> None:
    settings.BROKER_URL = f"redis://{LOOPBACK}:{dead_port}/0"
    repository = make_repository()
    make_channel(repository, URL)
    emit_blocked(repository)

    start(only_delivery().pk)

    assert "broker does not answer" in caplog.text
    assert (only_delivery().state, only_delivery().tries) == (DeliveryState.WAITING, 0)


def test_a_mistake_of_ours_does_not_undo_what_the_message_tells_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sending.SENDERS, ChannelKind.WEBHOOK, fail)
    repository = make_repository()
    make_channel(repository, URL)
    emit_blocked(repository)

    start(only_delivery().pk)

    assert "a mistake of ours" in caplog.text
    assert (only_delivery().state, only_delivery().tries) == (DeliveryState.WAITING, 1)
