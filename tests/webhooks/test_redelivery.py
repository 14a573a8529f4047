"""What GitHub could not deliver is asked for again: bounded, and once a pass."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from tests.flows.github import set_up
from tests.flows.suites import REPO, sha
from tests.servers.github.server import fake_github
from tests.servers.github.world import RefusalError, World
from triage.models import GitHubApp, GitHubRepository, HookPass, WebhookDelivery
from triage.webhooks import redelivery
from triage.webhooks.redelivery import KEPT, mend_installations, redeliver_failed

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 10, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def world() -> Iterator[World]:
    """Return a GitHub on which the App is installed."""
    with fake_github() as made:
        set_up(made, sha(1))
        yield made
        assert made.violations() == []


def lose(world: World, guid: str, at: datetime = NOW, status: int = 502) -> None:
    """Let a delivery fail at a time."""
    with time_machine.travel(at):
        world.add_delivery(guid, "push", status)


def one_pass(at: datetime = NOW) -> int:
    """Make one pass at a time."""
    with time_machine.travel(at):
        return redeliver_failed(at)


def test_each_lost_delivery_is_asked_for_once_and_the_oldest_first(world: World) -> None:
    lose(world, "second", NOW - HOUR / 2)
    lose(world, "first", NOW - HOUR)
    lose(world, "first", NOW - HOUR / 3)
    lose(world, "no-answer", NOW - HOUR / 4, status=0)
    lose(world, "good", NOW - HOUR / 4, status=202)

    assert one_pass() == 3
    assert world.redelivered == ["second", "first", "no-answer"]
    assert one_pass(NOW + HOUR) == 0


def test_what_fails_again_is_asked_for_by_the_next_pass_until_it_comes_in(world: World) -> None:
    lose(world, "lost")
    world.redelivery_status = 502
    assert [one_pass(NOW + number * HOUR) for number in range(3)] == [1, 1, 1]
    world.redelivery_status = 202

    assert [one_pass(NOW + number * HOUR) for number in range(3, 6)] == [1, 0, 0]
    assert world.redelivered == ["lost"] * 4


def test_what_came_in_although_github_saw_no_answer_is_left_alone(world: World) -> None:
    lose(world, "late")
    WebhookDelivery.objects.create(delivery_id="late", event="push", body={})

    assert one_pass() == 0


def test_what_is_older_than_github_keeps_it_is_given_up(world: World) -> None:
    lose(world, "old", NOW - KEPT - HOUR)

    assert one_pass() == 0


def test_a_pass_that_is_refused_is_made_up_for(world: World) -> None:
    one_pass(NOW - HOUR)
    lose(world, "lost")
    world.faults.append(("POST .*attempts", RefusalError(429, "Too many requests"), False))

    assert one_pass() == 0
    assert one_pass(NOW + HOUR) == 1
    assert world.redelivered == ["lost"]


def test_after_a_long_outage_the_rest_is_left_to_the_next_pass(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redelivery, "MOST_REDELIVERIES", 2)
    for number in range(5):
        lose(world, f"lost-{number}", NOW - HOUR + timedelta(minutes=number))

    assert [one_pass(NOW + number * HOUR / 60) for number in range(4)] == [2, 2, 1, 0]
    assert world.redelivered == [f"lost-{number}" for number in range(5)]


def test_more_than_a_page_is_looked_through(world: World) -> None:
    lose(world, "lost", NOW - HOUR)
    for number in range(250):
        lose(world, f"good-{number}", status=202)

    assert one_pass() == 1


def test_without_an_app_nothing_is_asked(world: World) -> None:
    GitHubApp.objects.all().delete()

    assert one_pass() == 0
    assert not HookPass.objects.exists()


def test_what_deliveries_told_wrongly_is_mended(world: World) -> None:
    GitHubRepository.objects.all().delete()

    assert mend_installations() == 1
    assert GitHubRepository.objects.get().repository.full_name == REPO
