"""Second passes by GitHub: failed jobs are re-run, attempts followed, the plan's end kept."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from tests.flows.github import (
    PULL,
    WORKFLOW,
    add_workflow_run,
    checks,
    comments,
    end_workflow_run,
    press,
    publish_all,
    pull_request,
    set_up,
)
from tests.flows.policies import set_policy
from tests.flows.suites import FLIP, REPO, START, CaseRun, history, sha, suite, take
from tests.servers.github.server import fake_github
from tests.servers.github.world import RefusalError, World
from triage import client, pipeline
from triage.actions.asking import MOST_ATTEMPTS
from triage.actions.attempts import APART
from triage.actions.following import LONGEST_SILENCE
from triage.models import RequestedAction, Run, Verdict
from triage.terms import ActionState, Button

pytestmark = pytest.mark.django_db(transaction=True)

HEAD = sha(20)
SIZE = 4
FLIPPED = CaseRun("test_ticket[1]", FLIP, "billing")


@pytest.fixture
def world() -> Iterator[World]:
    """Return a GitHub where a workflow of the pull request's head runs."""
    with time_machine.travel(START + timedelta(hours=21)), fake_github() as made:
        set_up(made, HEAD)
        made.repositories[REPO].people = {"octo": "write"}
        add_workflow_run(made, HEAD)
        history(SIZE)
        pull_request(made, HEAD, "opened")
        yield made
        assert made.violations() == []


@pytest.fixture
def _by_policy(world: World) -> None:
    set_policy("second_pass: rerun_failed_jobs\n")


def upload(attempt: int, *changed: CaseRun, **told: Any) -> dict[str, Any]:
    """Take the report of an attempt; the workflow has not ended by then."""
    told = {"pr": PULL, "branch": "change", "run_id": str(WORKFLOW), "attempt": attempt} | told
    return take(suite(SIZE, *changed), 20, **told)


def attempt_of(world: World) -> int:
    """Return the attempt that GitHub has come to."""
    return int(world.repositories[REPO].workflow_runs[WORKFLOW]["run_attempt"])


@pytest.mark.usefixtures("_by_policy")
def test_a_near_tie_is_repeated_by_github_until_it_is_settled(world: World) -> None:
    upload(1, FLIPPED)
    publish_all()
    assert [each["status"] for each in checks(world)] == ["in_progress"]
    assert attempt_of(world) == 1, "nothing can be re-run while the workflow runs"

    for attempt in (2, 3, 4):
        end_workflow_run(world)
        assert attempt_of(world) == attempt
        upload(attempt)
        publish_all()

    (check,) = checks(world)
    assert (check["status"], check["conclusion"]) == ("completed", "success")
    assert "settled tie" in comments(world)[0]
    end_workflow_run(world)
    assert attempt_of(world) == 4
    states = RequestedAction.objects.order_by("run__attempt").values_list("state", flat=True)
    assert [*states] == [ActionState.DONE] * 3


@pytest.mark.usefixtures("_by_policy")
def test_a_flip_that_stays_is_a_regression_and_is_not_repeated_any_more(world: World) -> None:
    for attempt in (1, 2, 3, 4):
        upload(attempt, FLIPPED)
        end_workflow_run(world)
    publish_all()

    assert checks(world)[-1]["conclusion"] == "failure"
    assert attempt_of(world) == 4


@pytest.mark.usefixtures("_by_policy")
def test_a_missing_permission_is_said_on_the_check_which_does_not_wait(world: World) -> None:
    world.granted["actions"] = "read"
    upload(1, FLIPPED)
    end_workflow_run(world)
    publish_all()

    check = checks(world)[-1]
    assert (check["status"], check["conclusion"]) == ("completed", "action_required")
    assert "Grant the App the permission “Actions: read and write”" in check["output"]["summary"]
    assert attempt_of(world) == 1


def test_no_right_to_rerun_is_asked_for_where_nobody_wants_it(world: World) -> None:
    world.granted["actions"] = "read"
    upload(1, FLIPPED)
    end_workflow_run(world)
    publish_all()

    assert checks(world)[-1]["conclusion"] == "action_required"
    assert attempt_of(world) == 1
    assert not RequestedAction.objects.exists()


def test_the_button_reruns_the_failed_jobs_once_the_workflow_has_ended(world: World) -> None:
    upload(1, FLIPPED)
    publish_all()
    press(world, Button.RERUN)
    assert attempt_of(world) == 1

    end_workflow_run(world)
    publish_all()

    assert attempt_of(world) == 2
    assert checks(world)[-1]["status"] == "in_progress"
    assert "attempt 2 has been started" in checks(world)[-1]["output"]["summary"]


def test_an_answer_that_was_lost_reruns_nothing_twice(world: World) -> None:
    upload(1, FLIPPED)
    end_workflow_run(world)
    publish_all()
    world.faults.append(("POST .*rerun-failed-jobs", RefusalError(502, "Server Error"), True))
    press(world, Button.RERUN)
    assert RequestedAction.objects.get().state == ActionState.WAITING

    RequestedAction.objects.update(next_try_at=START)
    pipeline.act_due()

    assert attempt_of(world) == 2
    assert RequestedAction.objects.get().state == ActionState.DONE


def test_an_attempt_that_ends_without_a_report_leaves_no_check_pending(world: World) -> None:
    upload(1, FLIPPED)
    end_workflow_run(world)
    publish_all()
    press(world, Button.RERUN)
    end_workflow_run(world)
    publish_all()

    check = checks(world)[-1]
    assert (check["status"], check["conclusion"]) == ("completed", "action_required")
    assert "attempt 2 ended without a report" in check["output"]["summary"]


@pytest.mark.usefixtures("_by_policy")
def test_a_rerun_that_is_never_heard_of_again_leaves_no_check_pending(world: World) -> None:
    upload(1, FLIPPED)
    end_workflow_run(world)
    publish_all()
    started_at = RequestedAction.objects.get().acted_at
    assert started_at

    for waited, status in (
        (LONGEST_SILENCE - timedelta(minutes=1), "in_progress"),
        (LONGEST_SILENCE + timedelta(minutes=1), "completed"),
    ):
        with time_machine.travel(started_at + waited):
            pipeline.act_due()
            publish_all()
            assert checks(world)[-1]["status"] == status

    check = checks(world)[-1]
    assert check["conclusion"] == "action_required"
    told = "attempt 2 had not been heard of 6 hours after its start"
    assert told in check["output"]["summary"]
    assert Button.RERUN in {each["identifier"] for each in check["actions"]}

    for attempt in (2, 3, 4):
        upload(attempt)
    publish_all()
    assert checks(world)[-1]["conclusion"] == "success"


def test_the_second_pass_ends_with_its_plan(world: World) -> None:
    upload(1, FLIPPED)
    end_workflow_run(world)
    publish_all()
    repeated = Run.objects.get(sha=HEAD)
    for attempt in range(2, MOST_ATTEMPTS + 1):
        repeated.pk, repeated.attempt = None, attempt
        repeated.save()
    Verdict.objects.filter(run__sha=HEAD).update(run=repeated)
    press(world, Button.RERUN)
    publish_all()

    assert attempt_of(world) == 1
    told = f"the second pass ends after {MOST_ATTEMPTS} attempts"
    assert told in checks(world)[-1]["output"]["summary"]


def test_a_run_of_another_ci_says_why_nothing_is_rerun(world: World) -> None:
    take(suite(SIZE, FLIPPED), 20, pr=PULL, branch="change", run_id="build-9")
    publish_all()
    press(world, Button.RERUN)
    publish_all()

    assert "build-9 is no workflow run of GitHub" in checks(world)[-1]["output"]["summary"]


def test_the_end_of_a_workflow_closes_what_was_repeated_within_its_attempt(world: World) -> None:
    for attempt in (1, 2, 3):
        upload(attempt, FLIPPED)
    end_workflow_run(world)

    assert closed() == {1: True, 2: True, 3: True}


def test_an_end_that_is_told_late_leaves_the_attempt_that_followed_open(world: World) -> None:
    upload(1, FLIPPED)
    ended = Run.objects.get(sha=HEAD).at + timedelta(minutes=5)
    upload(2, at=ended + timedelta(minutes=5))
    end_workflow_run(world, updated_at=ended.isoformat())

    assert closed() == {1: True, 2: False}


@pytest.mark.usefixtures("_by_policy")
def test_attempts_are_followed_where_the_client_numbers_them(world: World) -> None:
    upload(1, FLIPPED)
    upload(2, FLIPPED)
    end_workflow_run(world)
    assert attempt_of(world) == 2
    upload(APART + 1, FLIPPED)
    end_workflow_run(world)
    publish_all()

    assert closed() == {1: True, 2: True, APART + 1: True}
    assert attempt_of(world) == 3
    assert checks(world)[-1]["status"] == "in_progress"
    end_workflow_run(world)
    publish_all()
    assert checks(world)[-1]["status"] == "completed"
    assert "attempt 3 ended without a report" in checks(world)[-1]["output"]["summary"]


def test_the_room_between_attempts_is_the_client_s() -> None:
    assert APART == client.ATTEMPTS_APART


def closed() -> dict[int, bool]:
    """Return of each attempt that is stored whether it is closed."""
    runs = Run.objects.filter(sha=HEAD).order_by("attempt")
    return {run.attempt: run.closed_at is not None for run in runs}
