"""What is emitted: to whom, once, in whose transaction, and when."""

import pytest
import time_machine
from django.db import transaction

from tests.notifications.builders import emit_blocked, make_channel, make_repository
from triage.models import Delivery, Notification, Repository
from triage.notifications.outbox import emit
from triage.terms import Digest, NotificationEvent

pytestmark = pytest.mark.django_db

URL = "https://hooks.example/a"


def told(repository: Repository) -> list[tuple[str, str]]:
    """Return event and channel of everything that a repository's channels are told."""
    rows = Notification.objects.filter(repository=repository).order_by("pk")
    return list(rows.values_list("event", "channel__name"))


def test_every_channel_that_wants_an_event_is_told_it() -> None:
    repository = make_repository()
    make_channel(repository, URL, name="all")
    make_channel(repository, URL, name="some", events=[NotificationEvent.MUTE_EXPIRED])

    emit_blocked(repository)
    emit(repository.pk, NotificationEvent.MUTE_EXPIRED, {"headline": "It ended."}, key="mute:1")

    assert told(repository) == [
        ("run_blocked", "all"),
        ("mute_expired", "all"),
        ("mute_expired", "some"),
    ]


def test_an_event_that_is_emitted_again_is_told_once() -> None:
    repository = make_repository()
    make_channel(repository, URL)

    for _ in range(3):
        emit_blocked(repository)
    emit_blocked(repository, key="run:8")

    assert Notification.objects.count() == Delivery.objects.count() == 2


def test_another_repository_s_channel_hears_nothing() -> None:
    ours, theirs = make_repository(), make_repository("other/bot")
    make_channel(theirs, URL)

    emit_blocked(ours)

    assert Notification.objects.count() == Delivery.objects.count() == 0


def test_what_is_rolled_back_was_never_emitted() -> None:
    repository = make_repository()
    make_channel(repository, URL)

    with transaction.atomic():
        emit_blocked(repository)
        transaction.set_rollback(True)

    assert Notification.objects.count() == Delivery.objects.count() == 0


def test_runs_of_other_branches_are_told_only_to_channels_that_ask_for_them() -> None:
    repository = make_repository()
    make_channel(repository, URL, name="main only")
    make_channel(repository, URL, name="every branch", tells_all_branches=True)

    emit_blocked(repository, is_reference=False)
    emit(repository.pk, NotificationEvent.BUDGET_SPENT, {"is_reference": False}, key="b")

    assert told(repository) == [
        ("run_blocked", "every branch"),
        ("budget_spent", "main only"),
        ("budget_spent", "every branch"),
    ]


def test_events_between_two_digests_are_one_message_at_the_next_one() -> None:
    repository = make_repository()
    make_channel(repository, URL, digest=Digest.HOURLY)

    with time_machine.travel("2026-12-01T12:10:00Z", tick=False) as clock:
        emit_blocked(repository, key="run:1")
        clock.move_to("2026-12-01T12:50:00Z")
        emit_blocked(repository, key="run:2")
        emit_blocked(repository, key="run:2")

    delivery = Delivery.objects.get()
    assert delivery.due_at.isoformat() == "2026-12-01T13:00:00+00:00"
    assert [each.key for each in delivery.notifications.order_by("pk")] == ["run:1", "run:2"]


def test_a_bundle_that_was_tried_takes_nothing_more() -> None:
    """Its receiver may have got it already and would take the second one for a repetition."""
    repository = make_repository()
    make_channel(repository, URL, digest=Digest.HOURLY)
    emit_blocked(repository, key="run:1")
    Delivery.objects.update(tries=1)

    emit_blocked(repository, key="run:2")

    assert [each.notifications.count() for each in Delivery.objects.all()] == [1, 1]


def test_the_database_knows_an_event_of_a_channel_once() -> None:
    repository = make_repository()
    make_channel(repository, URL, digest=Digest.HOURLY)
    emit_blocked(repository)
    twice = Notification.objects.get()
    twice.pk = None

    with pytest.raises(Exception, match=r"(?i)unique"), transaction.atomic():
        twice.save()
