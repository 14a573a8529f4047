"""Adding and removing channels."""

from datetime import time
from typing import Any

import pytest

from tests.notifications.builders import make_channel, make_repository
from triage.errors import InvalidRequestError, NotFoundError
from triage.models import Channel
from triage.notifications.channels import (
    MOST_CHANNELS,
    ChannelRequest,
    add_channel,
    channels_of,
    find_channel,
    remove_channel,
)
from triage.notifications.sealing import unseal
from triage.terms import ChannelKind

pytestmark = pytest.mark.django_db

URL = "https://hooks.example/services/T0/secret"


def test_what_is_secret_is_stored_encrypted_and_shown_never_or_once() -> None:
    added = add_channel(make_repository(), ChannelRequest("ops", ChannelKind.WEBHOOK, URL), "ada")

    stored = Channel.objects.get()
    assert "secret" not in stored.target + stored.shown_target
    assert stored.shown_target == "https://hooks.example/…"
    assert unseal(stored.target) == URL
    assert added.signing_secret.startswith("whsec_")
    assert added.signing_secret not in stored.signing_secret
    assert unseal(stored.signing_secret) == added.signing_secret


def test_a_chat_room_has_no_signing_secret() -> None:
    added = add_channel(make_repository(), ChannelRequest("ops", ChannelKind.SLACK, URL), "ada")

    assert (added.signing_secret, Channel.objects.get().signing_secret) == ("", "")


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"name": ""}, "the name must have 1 to 100 printable characters"),
        ({"name": "x" * 101}, "the name must have 1 to 100 printable characters"),
        ({"name": "a\nb"}, "the name must have 1 to 100 printable characters"),
        ({"target": "ftp://a.example"}, "must be http:// or https://"),
        ({"kind": ChannelKind.EMAIL, "target": "nobody"}, "must be an e-mail address"),
        ({"kind": ChannelKind.EMAIL, "target": "a@b.c\nBcc: d@e.f"}, "must be an e-mail address"),
        ({"events": ()}, "no event was named; legal: run_blocked"),
        ({"time_zone": "Mars/Olympus"}, "IANA name such as Europe/Berlin, got 'Mars/Olympus'"),
        ({"time_zone": "../../etc/passwd"}, "IANA name such as Europe/Berlin"),
        ({"quiet": (time(7), time(7))}, "must end at another time than they begin, got 07:00"),
    ],
)
def test_what_is_not_legal_is_refused_and_nothing_is_stored(
    settings: Any, asked: dict[str, Any], problem: str
) -> None:
    settings.EMAIL_URL = "smtp://mail.example"
    told = {"name": "ops", "kind": ChannelKind.WEBHOOK, "target": URL} | asked

    with pytest.raises(InvalidRequestError) as refused:
        add_channel(make_repository(), ChannelRequest(**told), "ada")

    assert problem in str(refused.value)
    assert not Channel.objects.exists()


def test_mail_without_a_mail_server_is_refused_with_the_setting_to_set() -> None:
    with pytest.raises(InvalidRequestError, match="set EMAIL_URL, for example"):
        make_channel(make_repository(), "ada@acme.example", ChannelKind.EMAIL)


def test_a_name_is_taken_until_its_channel_is_removed() -> None:
    repository = make_repository()
    first = make_channel(repository, URL)
    with pytest.raises(InvalidRequestError, match="a channel 'ops' is there already"):
        make_channel(repository, URL)

    remove_channel(first)
    second = make_channel(repository, URL)

    assert channels_of(repository) == [second]


def test_a_repository_has_no_more_channels_than_people_can_read() -> None:
    repository = make_repository()
    for number in range(MOST_CHANNELS):
        make_channel(repository, URL, name=str(number))

    with pytest.raises(InvalidRequestError, match="has 20 channels, which is the most"):
        make_channel(repository, URL)


def test_a_channel_of_another_repository_is_not_found() -> None:
    make_channel(make_repository("other/bot"), URL, name="theirs")
    ours = make_repository()
    make_channel(ours, URL)

    with pytest.raises(NotFoundError, match="has no channel 'theirs'; known: ops"):
        find_channel(ours, "theirs")
