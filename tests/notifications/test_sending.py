"""Sending to a real receiver: taken, tried again, given up, never twice at once."""

from datetime import datetime, time, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from tests.notifications.builders import (
    BLOCKED,
    emit_blocked,
    make_channel,
    make_repository,
    only_delivery,
)
from tests.notifications.test_signing import is_genuine
from tests.servers.receiver import Reply, receiving
from triage.models import Channel, Delivery
from triage.notifications.backoff import MOST_TRIES
from triage.notifications.channels import remove_channel, send_again, send_test
from triage.notifications.sealing import unseal
from triage.notifications.sending import deliver
from triage.notifications.starting import start_due
from triage.terms import ChannelKind, DeliveryState, Digest

pytestmark = pytest.mark.django_db

NOON = datetime.fromisoformat("2026-12-01T12:00:00Z")


@pytest.fixture(autouse=True)
def private_addresses_are_open(settings: Any) -> None:
    """What this machine's receivers need."""
    settings.ALLOW_PRIVATE_WEBHOOKS = True


def test_what_is_emitted_is_sent_after_the_commit_and_signed(
    django_capture_on_commit_callbacks: Any,
) -> None:
    repository = make_repository()
    with receiving() as receiver:
        channel = make_channel(repository, receiver.url("/secret-path"))
        with django_capture_on_commit_callbacks(execute=True):
            emit_blocked(repository)
            assert receiver.requests == []

    (request,) = receiver.requests
    delivery = only_delivery()
    assert (delivery.state, delivery.tries, delivery.response) == (DeliveryState.SENT, 1, "ok")
    assert request.path == "/secret-path"
    assert request.headers["webhook-id"] == str(delivery.pk)
    assert is_genuine(unseal(channel.signing_secret), request.headers, request.body)
    document = request.json
    assert document["id"] == str(delivery.pk)
    assert (document["type"], document["repository"]) == ("run_blocked", repository.full_name)
    (event,) = document["events"]
    assert BLOCKED.items() <= event.items()
    assert (event["event"], event["key"]) == ("run_blocked", "run:7")


def test_a_receiver_that_fails_first_gets_the_message_later_under_the_same_id() -> None:
    repository = make_repository()
    replies = [Reply(503, b"down"), Reply(429, headers={"Retry-After": "7200"})]
    with receiving(*replies) as receiver, time_machine.travel(NOON, tick=False) as clock:
        make_channel(repository, receiver.url())
        emit_blocked(repository)
        start_due()
        first = only_delivery()
        assert (first.state, first.problem, first.response) == ("waiting", "answered 503", "down")
        assert timedelta(minutes=1) < first.due_at - NOON < timedelta(minutes=2)

        assert start_due() == 0
        clock.move_to(first.due_at)
        start_due()
        second = only_delivery()
        assert second.due_at == first.due_at + timedelta(hours=2)

        clock.move_to(second.due_at)
        start_due()

    third = only_delivery()
    assert (third.state, third.tries, third.problem) == (DeliveryState.SENT, 3, "")
    assert third.sent_at == second.due_at
    assert {each.headers["webhook-id"] for each in receiver.requests} == {str(third.pk)}
    assert len(receiver.requests) == 3


def test_a_receiver_that_never_recovers_is_given_up_after_its_last_try() -> None:
    repository = make_repository()
    with receiving(*[Reply(500)] * 20) as receiver, time_machine.travel(NOON, tick=False) as clock:
        make_channel(repository, receiver.url())
        emit_blocked(repository)
        while only_delivery().state == DeliveryState.WAITING:
            clock.move_to(only_delivery().due_at)
            start_due()

    delivery = only_delivery()
    assert (delivery.state, delivery.problem) == (DeliveryState.FAILED, "answered 500")
    assert len(receiver.requests) == delivery.tries == MOST_TRIES


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply(404, b"no such room"), "answered 404"),
        (Reply(302, headers={"Location": "http://a.example/"}), "redirects are not followed"),
    ],
)
def test_a_refusal_is_not_tried_again(reply: Reply, problem: str) -> None:
    repository = make_repository()
    with receiving(reply) as receiver:
        make_channel(repository, receiver.url())
        emit_blocked(repository)
        start_due()
        start_due()

    delivery = only_delivery()
    assert delivery.state == DeliveryState.FAILED
    assert problem in delivery.problem
    assert len(receiver.requests) == 1


def test_a_private_address_is_refused_unless_the_operator_allows_it(settings: Any) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = False
    repository = make_repository()
    with receiving() as receiver:
        make_channel(repository, receiver.url())
        emit_blocked(repository)
        start_due()

    delivery = only_delivery()
    assert delivery.state == DeliveryState.FAILED
    assert "127.0.0.1, which is not a public address" in delivery.problem
    assert receiver.requests == []


def test_a_message_that_another_worker_is_sending_is_left_to_it() -> None:
    repository = make_repository()
    with receiving() as receiver:
        make_channel(repository, receiver.url())
        emit_blocked(repository)
        Delivery.objects.update(leased_until=timezone.now() + timedelta(minutes=1), tries=1)
        deliver(only_delivery().pk)
        assert (start_due(), receiver.requests) == (0, [])

        Delivery.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
        assert start_due() == 1

    assert only_delivery().state == DeliveryState.SENT
    assert len(receiver.requests) == 1


def test_a_message_whose_workers_keep_dying_is_given_up() -> None:
    repository = make_repository()
    make_channel(repository, "https://hooks.example/a")
    emit_blocked(repository)
    Delivery.objects.update(tries=MOST_TRIES)

    start_due()

    assert only_delivery().state == DeliveryState.FAILED
    assert "was begun 8 times and never ended" in only_delivery().problem


def test_a_sent_message_is_not_sent_by_a_task_that_runs_twice() -> None:
    repository = make_repository()
    with receiving() as receiver:
        make_channel(repository, receiver.url())
        emit_blocked(repository)
        for _ in range(3):
            deliver(only_delivery().pk)

    assert len(receiver.requests) == 1


def test_sending_again_is_a_new_try_of_the_same_message(
    django_capture_on_commit_callbacks: Any,
) -> None:
    repository = make_repository()
    with receiving(Reply(404)) as receiver:
        make_channel(repository, receiver.url())
        emit_blocked(repository)
        start_due()
        assert only_delivery().state == DeliveryState.FAILED
        with django_capture_on_commit_callbacks(execute=True):
            send_again(only_delivery())

    assert (only_delivery().state, only_delivery().tries) == (DeliveryState.SENT, 1)
    first, second = receiver.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"]


def test_quiet_hours_hold_events_and_tell_them_together_in_the_morning() -> None:
    repository = make_repository()
    night = (time(22), time(7))
    with receiving() as receiver, time_machine.travel(NOON, tick=False) as clock:
        make_channel(repository, receiver.url(), quiet=night, time_zone="Europe/Berlin")
        clock.move_to(NOON.replace(hour=22))
        for number in range(3):
            emit_blocked(repository, key=f"run:{number}")
        assert start_due() == 0

        clock.move_to(NOON.replace(day=2, hour=6))
        assert start_due() == 1

    (request,) = receiver.requests
    assert request.json["type"] == "digest"
    assert [each["key"] for each in request.json["events"]] == ["run:0", "run:1", "run:2"]


def test_a_new_try_waits_for_the_end_of_quiet_hours_too() -> None:
    repository = make_repository()
    noon = (time(12), time(15))
    with receiving(Reply(500)) as receiver, time_machine.travel(NOON, tick=False) as clock:
        clock.move_to(NOON - timedelta(seconds=10))
        make_channel(repository, receiver.url(), quiet=noon)
        emit_blocked(repository)
        start_due()

    assert only_delivery().due_at == NOON.replace(hour=15)


def test_a_test_message_waits_for_no_digest(django_capture_on_commit_callbacks: Any) -> None:
    repository = make_repository()
    with receiving() as receiver:
        channel = make_channel(repository, receiver.url(), digest=Digest.DAILY)
        with django_capture_on_commit_callbacks(execute=True):
            send_test(channel, "ada")

    assert receiver.requests[0].json["type"] == "test"


def test_a_removed_channel_is_told_nothing_more_and_keeps_no_secret() -> None:
    repository = make_repository()
    with receiving() as receiver:
        channel = make_channel(repository, receiver.url())
        emit_blocked(repository)
        remove_channel(channel)
        start_due()
        emit_blocked(repository, key="run:8")

    assert receiver.requests == []
    assert "removed before" in only_delivery().problem
    kept = Channel.objects.get()
    assert (kept.target, kept.signing_secret) == ("", "")


def test_a_changed_secret_key_is_named_as_the_reason(settings: Any) -> None:
    repository = make_repository()
    make_channel(repository, "https://hooks.example/a")
    emit_blocked(repository)
    settings.SECRET_KEY = "another-one-" + "1" * 50

    start_due()

    assert "SECRET_KEY has changed" in only_delivery().problem


def test_a_former_secret_key_still_opens_what_it_sealed(settings: Any) -> None:
    repository = make_repository()
    channel = make_channel(repository, "https://hooks.example/a")
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another-one-" + "1" * 50

    assert unseal(channel.target) == "https://hooks.example/a"


def test_a_chat_room_gets_words_and_no_markup() -> None:
    repository = make_repository()
    hostile = "<!channel> *x* [click](http://evil.example) @all & <http://evil.example|me>"
    with receiving() as receiver:
        make_channel(repository, receiver.url(), ChannelKind.SLACK)
        emit_blocked(repository, headline=hostile, details=[hostile, "a\nb\u202ec"])
        start_due()

    body = receiver.requests[0].json
    assert "<!channel>" not in body["text"]
    assert "&lt;!channel&gt;" in body["text"]
    assert "](" not in body["text"]
    assert "@all" not in body["text"]
    markup = [
        element["text"]
        for block in body["blocks"]
        for element in block.get("elements", [])
        if element["type"] == "mrkdwn"
    ]
    assert markup == ["<http://127.0.0.1:8000/runs/7/|Open in Tiebreak>"]
    sections = [block["text"] for block in body["blocks"] if block["type"] == "section"]
    assert {each["type"] for each in sections} == {"plain_text"}
    assert "a b c" in sections[-1]["text"]


def test_a_large_digest_fits_into_what_a_chat_room_takes() -> None:
    repository = make_repository()
    with receiving() as receiver:
        make_channel(repository, receiver.url(), ChannelKind.SLACK, digest=Digest.HOURLY)
        for number in range(30):
            emit_blocked(repository, key=str(number), details=["x" * 1000] * 50)
        Delivery.objects.update(due_at=timezone.now())
        start_due()

    blocks = receiver.requests[0].json["blocks"]
    assert len(blocks) <= 50
    assert blocks[-1]["text"]["text"] == "… and 10 more"
    assert max(len(each["text"]["text"]) for each in blocks if "text" in each) <= 3000
