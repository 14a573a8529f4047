"""Channels on the command line."""

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.notifications.builders import REPO, make_channel, make_repository
from tests.servers.receiver import Reply, receiving
from triage.models import Channel
from triage.notifications.channels import EVENTS

pytestmark = pytest.mark.django_db

URL = "https://hooks.example/secret"


def notify(*arguments: str) -> str:
    """Run the command for a repository; return what it printed."""
    out = io.StringIO()
    call_command("notify", REPO, *arguments, stdout=out)
    return out.getvalue()


def test_a_channel_is_added_listed_and_removed() -> None:
    make_repository()

    added = notify("add", "pager", "webhook", URL, "--quiet", "22:00-07:00", "--digest", "hourly")

    line = "pager: webhook to https://hooks.example/…, hourly digest, quiet 22:00–07:00 UTC"
    assert added.startswith(f"added {line}\nmessages are signed with whsec_")
    assert notify("list") == f"{line}\n"
    channel = Channel.objects.get()
    assert (channel.events, channel.added_by) == (list(EVENTS), "the command line")
    assert notify("remove", "pager") == "removed pager\n"
    assert notify("list") == f"{REPO} has no channel yet\n"


def test_a_channel_can_be_told_some_events_of_every_branch() -> None:
    make_repository()

    notify("add", "room", "slack", URL, "--events", "run_blocked, mute_expired", "--all-branches")

    channel = Channel.objects.get()
    assert channel.events == ["run_blocked", "mute_expired"]
    assert channel.tells_all_branches is True


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["add", "x", "webhook", "ftp://a"], "must be http:// or https://"),
        (["add", "x", "webhook", URL, "--events", "nonsense"], "no event 'nonsense'; legal: run_"),
        (["add", "x", "webhook", URL, "--quiet", "night"], "two times of day such as 22:00-07:00"),
        (["add", "x", "pigeon", URL], "invalid choice: 'pigeon'"),
        (["remove", "x"], "has no channel 'x'; known: none yet"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], problem: str) -> None:
    make_repository()

    with pytest.raises(CommandError, match=problem):
        notify(*arguments)

    assert not Channel.objects.exists()


def test_a_test_message_says_what_the_receiver_answered(settings: Any) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    repository = make_repository()
    with receiving(Reply(200, b"hello"), Reply(404, b"who?")) as receiver:
        make_channel(repository, receiver.url())

        assert "the receiver answered: hello" in notify("test", "ops")
        with pytest.raises(CommandError, match=r"not sent: answered 404\. who\?"):
            notify("test", "ops")

    assert len(receiver.requests) == 2
