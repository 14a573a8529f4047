"""From a report to a message: what judging tells a repository's channels, and how often."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from tests.flows.suites import (
    FLIP,
    REPO,
    START,
    WORDING,
    CaseRun,
    history,
    judged,
    suite,
    take,
    upload,
)
from tests.notifications.builders import make_channel
from tests.servers.receiver import Receiver, receiving
from triage.models import Notification, Repository
from triage.verdict.judge import judge

pytestmark = pytest.mark.django_db

SIZE = 4
CASE = "test_ticket[2]"
FLIPPED = CaseRun(CASE, FLIP, "billing")


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    """A channel of the repository, after twelve clean runs, at the time of the next one."""
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    history(SIZE)
    with receiving() as receiver, time_machine.travel(START + timedelta(hours=13), tick=False):
        make_channel(Repository.objects.get(), receiver.url())
        yield receiver


def told() -> list[str]:
    """Return the events that the channel was told, in order."""
    return list(Notification.objects.order_by("pk").values_list("event", flat=True))


def test_a_run_on_hold_is_sent_once_however_often_it_is_judged(
    receiver: Receiver, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run = upload(suite(SIZE, FLIPPED), 13).run
        judge(run)
        judge(run)

    (request,) = receiver.requests
    (event,) = request.json["events"]
    document = judged(run)
    assert event["event"] == "run_on_hold"
    assert event["headline"] == document["headline"]["text"]
    assert event["details"] == [
        f"tests.evals.test_refunds::{CASE}: {document['findings'][0]['reason']}"
    ]
    assert (event["url"], event["commit"]) == (document["url"], run.sha)


def test_a_run_that_its_second_pass_blocks_is_told_again(receiver: Receiver) -> None:
    take(suite(SIZE, FLIPPED), 13, run_id="1")
    for attempt in range(2, 5):
        take(suite(SIZE, FLIPPED), 13, run_id="1", attempt=attempt)

    assert set(told()) == {"run_on_hold", "run_blocked"}
    keys = Notification.objects.values_list("key", flat=True)
    assert len(keys) == len(set(keys))


def test_passing_runs_pull_requests_and_replayed_history_are_no_news(receiver: Receiver) -> None:
    take(suite(SIZE), 13)
    take(suite(SIZE, CaseRun(CASE, WORDING)), 13, sha="a" * 40)
    take(suite(SIZE, FLIPPED), 13, sha="b" * 40, pr=42, branch="topic")
    take(suite(SIZE, FLIPPED), 13, sha="c" * 40, at=START - timedelta(days=2))

    assert told() == []
    assert receiver.requests == []


def test_spent_budgets_are_told_once_a_day_and_again_when_they_are_others(
    receiver: Receiver,
) -> None:
    flaky = suite(SIZE, CaseRun(CASE, WORDING))
    with time_machine.travel(START + timedelta(hours=24), tick=False):
        conclusions = [take(flaky, number)["conclusion"] for number in range(13, 24)]

    assert conclusions.count("blocked") > 1
    of_case, with_repository = Notification.objects.filter(event="budget_spent").order_by("pk")
    assert of_case.payload["headline"] == "1 flake budget spent; label flips are not in it"
    assert CASE in of_case.payload["details"][0]
    assert with_repository.payload["headline"].startswith("2 flake budgets spent")


def test_another_repository_s_run_is_not_told(receiver: Receiver) -> None:
    take(suite(SIZE, FLIPPED), 13, repo="other/bot")

    assert Repository.objects.exclude(full_name=REPO).count() == 1
    assert told() == []
