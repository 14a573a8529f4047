"""Say where a repository's notifications go."""

import argparse
from datetime import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from triage.errors import TiebreakError
from triage.management.repositories import BAD_INPUT, find_repository
from triage.management.tables import ensure_tables
from triage.models import Channel, Delivery, Repository
from triage.notifications.channels import (
    EVENTS,
    ChannelRequest,
    add_channel,
    channels_of,
    find_channel,
    remove_channel,
    send_test,
)
from triage.notifications.sending import deliver
from triage.terms import ChannelKind, DeliveryState, Digest, NotificationEvent

WHO = "the command line"


class Command(BaseCommand):
    """``tiebreak notify OWNER/NAME add|list|remove|test``."""

    help = "List, add, remove and try out the channels that a repository's notifications go to."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("repo", metavar="OWNER/NAME")
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="show the channels")
        _declare_add(actions.add_parser("add", help="add a channel"))
        for action, what in (("remove", "remove a channel"), ("test", "send a test message now")):
            actions.add_parser(action, help=what).add_argument("name", metavar="CHANNEL")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        ensure_tables()
        repository = find_repository(options["repo"])
        action = {"list": self._list, "add": self._add, "remove": self._remove, "test": self._test}
        try:
            action[options["action"]](repository, options)
        except TiebreakError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error

    def _list(self, repository: Repository, options: dict[str, Any]) -> None:
        lines = [_line(channel) for channel in channels_of(repository)]
        self.stdout.write("\n".join(lines) or f"{repository} has no channel yet")

    def _add(self, repository: Repository, options: dict[str, Any]) -> None:
        added = add_channel(repository, _request(options), WHO)
        self.stdout.write(f"added {_line(added.channel)}")
        if added.signing_secret:
            self.stdout.write(
                f"messages are signed with {added.signing_secret} (shown this once only)"
            )

    def _remove(self, repository: Repository, options: dict[str, Any]) -> None:
        remove_channel(find_channel(repository, options["name"]))
        self.stdout.write(f"removed {options['name']}")

    def _test(self, repository: Repository, options: dict[str, Any]) -> None:
        sent = send_test(find_channel(repository, options["name"]), WHO)
        # A person waits for the answer, so it is sent here even if there are workers.
        deliver(sent.pk)
        delivery = Delivery.objects.get(pk=sent.pk)
        if delivery.state != DeliveryState.SENT:
            raise CommandError(f"not sent: {delivery.problem}. {delivery.response}".strip())
        self.stdout.write(f"sent as {delivery.pk}; the receiver answered: {delivery.response}")


def _declare_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="CHANNEL", help="what to call it")
    parser.add_argument("kind", choices=[kind.value for kind in ChannelKind])
    parser.add_argument("target", metavar="TARGET", help="the e-mail address or URL")
    parser.add_argument("--events", default=",".join(EVENTS), help="default: all; comma-separated")
    parser.add_argument("--all-branches", action="store_true", help="tell of every branch's runs")
    parser.add_argument(
        "--digest", default=Digest.NONE.value, choices=[digest.value for digest in Digest]
    )
    parser.add_argument("--quiet", type=_quiet_hours, metavar="HH:MM-HH:MM")
    parser.add_argument("--time-zone", default="UTC", metavar="ZONE")


def _request(options: dict[str, Any]) -> ChannelRequest:
    return ChannelRequest(
        name=options["name"],
        kind=ChannelKind(options["kind"]),
        target=options["target"],
        events=_events(options["events"]),
        tells_all_branches=options["all_branches"],
        digest=Digest(options["digest"]),
        quiet=options["quiet"],
        time_zone=options["time_zone"],
    )


def _events(names: str) -> list[NotificationEvent]:
    known = {event.value: event for event in EVENTS}
    asked = [name.strip() for name in names.split(",") if name.strip()]
    for name in asked:
        if name not in known:
            legal = ", ".join(known)
            raise CommandError(f"there is no event {name!r}; legal: {legal}", returncode=BAD_INPUT)
    return [known[name] for name in asked]


def _quiet_hours(text: str) -> tuple[time, time]:
    try:
        start, end = (time.fromisoformat(each) for each in text.split("-"))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be two times of day such as 22:00-07:00, got {text!r}"
        ) from None
    return start, end


def _line(channel: Channel) -> str:
    quiet = ""
    if channel.quiet_from and channel.quiet_until:
        quiet = f", quiet {channel.quiet_from:%H:%M}–{channel.quiet_until:%H:%M}"
        quiet += f" {channel.time_zone}"
    digest = "" if channel.digest == Digest.NONE else f", {channel.digest} digest"
    return f"{channel.name}: {channel.kind} to {channel.shown_target}{digest}{quiet}"
