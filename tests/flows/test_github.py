"""From a delivery of GitHub over an upload to the check run and the one comment."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from tests.flows.github import PULL, checks, comments, deliver, publish_all, pull_request, set_up
from tests.flows.suites import FLIP, REPO, START, WORDING, CaseRun, history, sha, suite, take
from tests.servers.github.server import fake_github
from tests.servers.github.world import (
    APP_ID,
    WEBHOOK_SECRET,
    RefusalError,
    World,
    private_key,
)
from triage.models import Publication, PullRequest, Repository, WebhookDelivery
from triage.publish import delivering
from triage.publish.app_entry import enter_by_hand
from triage.publish.check_run import CheckRun
from triage.publish.outbox import show_again
from triage.publish.starting import start_due
from triage.terms import PublicationState

pytestmark = pytest.mark.django_db(transaction=True)

HEAD, NEWER = sha(20), sha(21)
SIZE = 6
CASE = "test_ticket[1]"


@pytest.fixture
def world() -> Iterator[World]:
    """Return a GitHub on which the App is installed, on the day of the runs."""
    with time_machine.travel(START + timedelta(hours=30)), fake_github() as made:
        set_up(made, HEAD, NEWER)
        yield made
        assert made.violations() == []


def on_pull_request(*changed: CaseRun, number: int = 20, attempt: int = 1) -> dict[str, Any]:
    """Take a run of the pull request's head."""
    told = {"pr": PULL, "branch": "change", "run_id": f"ci-{number}", "attempt": attempt}
    return take(suite(SIZE, *changed), number, **told)


def test_a_new_head_gets_its_check_before_any_report(world: World) -> None:
    pull_request(world, HEAD, "opened")
    publish_all()

    (check,) = checks(world)
    assert (check["status"], check["output"]["title"]) == (
        "in_progress",
        "Waiting for test results",
    )
    assert comments(world) == []


def test_a_workflow_that_ends_without_a_report_leaves_no_check_pending(world: World) -> None:
    pull_request(world, HEAD, "opened")
    publish_all()
    repository = {"id": world.repositories[REPO].id}
    run = {"head_sha": HEAD}
    deliver("workflow_run", {"action": "completed", "repository": repository, "workflow_run": run})
    publish_all()

    (check,) = checks(world)
    assert (check["status"], check["conclusion"]) == ("completed", "neutral")


def test_a_clean_run_succeeds_without_a_comment(world: World) -> None:
    pull_request(world, HEAD, "opened")
    on_pull_request()
    publish_all()

    (check,) = checks(world)
    assert check["conclusion"] == "success"
    assert comments(world) == []


def test_a_near_tie_asks_for_its_second_pass_which_settles_it(world: World) -> None:
    history(SIZE)
    pull_request(world, HEAD, "opened")
    on_pull_request(CaseRun(CASE, FLIP, "billing"))
    publish_all()
    assert [each["conclusion"] for each in checks(world)] == ["action_required"]
    assert "On hold: 1 near tie" in comments(world)[0]

    for attempt in (2, 3, 4):
        on_pull_request(attempt=attempt)
    publish_all()

    assert {each["status"] for each in checks(world)} == {"completed"}
    assert checks(world)[-1]["conclusion"] == "success"
    (comment,) = comments(world)
    assert "settled tie" in comment


def test_a_proven_regression_fails_the_check_and_the_comment_says_so(world: World) -> None:
    history(SIZE)
    pull_request(world, HEAD, "opened")
    for attempt in (1, 2, 3, 4):
        on_pull_request(CaseRun(CASE, FLIP, "billing"), attempt=attempt)
    publish_all()

    assert checks(world)[-1]["conclusion"] == "failure"
    assert "Do not merge: 1 label regression" in comments(world)[0]


def test_a_comment_of_a_commit_that_was_left_behind_is_not_sent(world: World) -> None:
    history(SIZE)
    pull_request(world, NEWER)
    on_pull_request(CaseRun(CASE, WORDING))
    publish_all()

    assert comments(world) == []
    dropped = Publication.objects.get(kind="comment")
    assert (dropped.state, dropped.error) == (
        PublicationState.DROPPED,
        "the pull request has a newer head",
    )


def test_deliveries_in_the_wrong_order_keep_the_newest_head(world: World) -> None:
    pull_request(world, NEWER, updated_at="2026-10-02T10:00:00Z")
    pull_request(world, HEAD, updated_at="2026-10-02T09:00:00Z")

    assert PullRequest.objects.get().head_sha == NEWER


def test_a_new_name_keeps_the_history(world: World) -> None:
    history(SIZE, runs=1)
    repository = {"id": world.repositories[REPO].id, "full_name": "acme/renamed"}
    deliver("repository", {"action": "renamed", "repository": repository})

    assert Repository.objects.get().full_name == "acme/renamed"


def test_after_the_app_is_taken_away_nothing_is_sent(world: World) -> None:
    deliver("installation", {"action": "deleted"})
    on_pull_request(CaseRun(CASE, WORDING))
    publish_all()

    assert checks(world) == []


def test_rerequesting_a_check_judges_again_from_what_is_stored(world: World) -> None:
    on_pull_request(CaseRun(CASE, WORDING))
    publish_all()
    repository = {"id": world.repositories[REPO].id}
    run = {"head_sha": HEAD}
    deliver("check_run", {"action": "rerequested", "repository": repository, "check_run": run})
    publish_all()

    assert {each["conclusion"] for each in checks(world)} == {"success"}


def test_a_delivery_that_comes_twice_is_processed_once(world: World) -> None:
    body = {"action": "created", "repositories": []}
    statuses = [deliver("installation", body, delivery="same") for _ in range(2)]

    assert statuses == [202, 202]
    assert WebhookDelivery.objects.filter(delivery_id="same").count() == 1


@pytest.mark.parametrize("is_new", [True, False], ids=["a new verdict", "an answer"])
def test_what_is_asked_for_during_a_delivery_is_delivered_after_it(
    world: World, monkeypatch: pytest.MonkeyPatch, *, is_new: bool
) -> None:
    made = delivering.check_of

    def asked_meanwhile(publication: Publication) -> CheckRun:
        check = made(publication)
        monkeypatch.undo()
        if is_new:
            on_pull_request(CaseRun(CASE, WORDING), attempt=2)
        else:
            show_again(publication.repository_id, HEAD)
        return check

    monkeypatch.setattr(delivering, "check_of", asked_meanwhile)
    on_pull_request()
    publication = Publication.objects.get(kind="check")
    assert (publication.state, publication.attempts) == (PublicationState.WAITING, 0)
    assert publication.leased_until is None
    publish_all()

    publication.refresh_from_db()
    assert publication.state == PublicationState.DONE
    assert len(checks(world)) == 1 + is_new


def test_a_token_that_github_took_back_is_fetched_anew(world: World) -> None:
    on_pull_request()
    publish_all()
    world.tokens.clear()
    on_pull_request(CaseRun(CASE, WORDING), attempt=2)
    publish_all()

    assert len(checks(world)) == 2
    assert [status for *_, status, _ in world.log if status == 401] == [401]


def test_what_waits_for_the_apps_key_is_sent_once_it_is_entered(world: World) -> None:
    refused = RefusalError(401, "A JSON web token could not be decoded")
    world.faults += [("access_tokens", refused, False)] * 10
    on_pull_request()
    check = Publication.objects.get(subject=HEAD)
    assert (check.state, check.attempts) == (PublicationState.WAITING, 0)
    assert check.error == (
        "GitHub answered 401: A JSON web token could not be decoded; enter the App's private key "
        "anew on /setup/github/, and this is sent"
    )
    assert start_due() == 0

    world.faults.clear()
    enter_by_hand(APP_ID, private_key(), WEBHOOK_SECRET, world.base)
    publish_all()
    assert [each["conclusion"] for each in checks(world)] == ["success"]


def test_a_replayed_history_is_not_published(world: World) -> None:
    with time_machine.travel(START + timedelta(days=10)):
        on_pull_request(CaseRun(CASE, WORDING))

    assert not Publication.objects.exists()
