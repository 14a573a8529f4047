"""Several processes at once: nothing is told twice, and nothing held falls apart."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from tests.notifications.builders import (
    emit_blocked,
    make_channel,
    make_repository,
    only_delivery,
)
from tests.servers.receiver import receiving
from tests.web.builders import make_case
from triage.errors import InvalidRequestError
from triage.models import Case, Delivery, Mute, Notification
from triage.notifications.sending import deliver
from triage.terms import DeliveryState, Digest
from triage.verdict.muting import MuteRequest, end_expired_mutes, mute_case

# SQLite has one writer at a time anyway.
pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

WORKERS = 8


def together(work: Callable[[int], object]) -> None:
    """Do a piece of work in several threads at once, each with a connection of its own."""

    def with_own_connection(number: int) -> None:
        try:
            work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(with_own_connection, range(WORKERS)))


def test_a_message_that_many_workers_take_at_once_is_sent_once(settings: Any) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    repository = make_repository()
    with receiving() as receiver:
        make_channel(repository, receiver.url(), digest=Digest.HOURLY)
        emit_blocked(repository)
        Delivery.objects.update(due_at=timezone.now())
        pk = only_delivery().pk
        together(lambda _: deliver(pk))

    assert len(receiver.requests) == 1
    assert (only_delivery().state, only_delivery().tries) == (DeliveryState.SENT, 1)


def test_an_event_that_is_emitted_many_times_at_once_is_told_once(settings: Any) -> None:
    repository = make_repository()
    make_channel(repository, "https://hooks.example/", digest=Digest.DAILY)

    together(lambda _: emit_blocked(repository))

    assert Notification.objects.count() == Delivery.objects.count() == 1


def test_events_that_are_held_at_once_are_one_message() -> None:
    repository = make_repository()
    make_channel(repository, "https://hooks.example/", digest=Digest.DAILY)

    together(lambda number: emit_blocked(repository, key=str(number)))

    assert only_delivery().notifications.count() == WORKERS


def test_the_cap_holds_when_many_cases_are_muted_at_once() -> None:
    repository = make_repository()
    cases = [make_case(repository, f"case {number}") for number in range(WORKERS)]

    together(lambda number: _try_to_mute(cases[number]))

    assert Mute.objects.count() == 1


def test_an_end_that_many_notice_at_once_is_told_once() -> None:
    case = make_case(make_repository())
    make_channel(case.repository, "https://hooks.example/", digest=Digest.DAILY)
    _try_to_mute(case)
    past = timezone.now() - timedelta(days=1)
    Mute.objects.update(created_at=past - timedelta(days=1), until=past)

    together(lambda _: end_expired_mutes())

    assert Notification.objects.get().event == "mute_expired"


def _try_to_mute(case: Case) -> None:
    asked = MuteRequest("ada", "rollout", timezone.now() + timedelta(days=1))
    with suppress(InvalidRequestError):
        mute_case(case, asked, "ada")
