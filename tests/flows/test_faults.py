"""The whole story of a pull request on a GitHub where one request in seven goes wrong."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from tests.flows.github import (
    PULL,
    act_all,
    add_workflow_run,
    checks,
    comments,
    end_workflow_run,
    pull_request,
    set_up,
)
from tests.flows.policies import set_policy
from tests.flows.suites import FLIP, REPO, START, WORDING, CaseRun, sha, take
from tests.servers.github.server import fake_github
from tests.servers.github.world import Chaos, World
from triage.models import Publication, RequestedAction
from triage.terms import ActionState, PublicationState

pytestmark = pytest.mark.django_db(transaction=True)

HEAD, NEWER = sha(20), sha(21)
WORKFLOWS = {HEAD: 555, NEWER: 556}
SIZE = 6
SHARE = 0.15
# Each kind of fault, before and after the work is done, comes twice at least.
FEWEST_FAULTS = 16


@pytest.fixture(params=[("", 1), ("/api/v3", 2)], ids=["github.com", "enterprise"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Return a GitHub that has failed jobs run again, and a history of clean runs."""
    prefix, seed = request.param
    with time_machine.travel(START + timedelta(hours=22)), fake_github(prefix) as made:
        set_up(made, HEAD, NEWER)
        set_policy("second_pass: rerun_failed_jobs\n")
        for number in range(1, 13):
            take(cases(), number)
        for commit, workflow in WORKFLOWS.items():
            add_workflow_run(made, commit, workflow)
        made.chaos = Chaos(seed, SHARE)
        yield made
        assert made.violations() == []


def cases(*failing: int, failure: str = FLIP, label: str = "billing") -> list[CaseRun]:
    """Return a suite in which some cases fail, each at a line of its own."""
    good = [CaseRun(f"test_ticket[{number}]", line=number + 1) for number in range(SIZE)]
    bad = {each: CaseRun(good[each].name, failure, label, line=each + 1) for each in failing}
    return [bad.get(number, case) for number, case in enumerate(good)]


def upload(commit: str, attempt: int, *failing: int) -> dict[str, Any]:
    """Take the report of an attempt, and let it be shown."""
    told = {"sha": commit, "pr": PULL, "branch": "change", "run_id": str(WORKFLOWS[commit])}
    number = 20 + list(WORKFLOWS).index(commit)
    verdict = take(cases(*failing), number, attempt=attempt, **told)
    act_all()
    return verdict


def attempt_of(world: World, commit: str) -> int:
    """Return the attempt that GitHub has come to."""
    return int(world.repositories[REPO].workflow_runs[WORKFLOWS[commit]]["run_attempt"])


def annotated(world: World) -> list[tuple[str, str, list[int]]]:
    """Return every check run's commit and conclusion, and the lines that it is annotated at."""
    return [
        (check["head_sha"], check["conclusion"], [each["start_line"] for each in notes])
        for check in checks(world)
        for notes in [check["annotations"]]
    ]


def test_faults_change_nothing_of_what_is_shown_in_the_end(world: World) -> None:
    pull_request(world, HEAD, "opened")
    act_all()
    assert annotated(world) == [(HEAD, None, [])]

    # A near tie, whose second pass GitHub runs until it is settled.
    upload(HEAD, 1, 2, 4)
    assert "near ties" in comments(world)[0]
    for attempt in (2, 3, 4):
        end_workflow_run(world, WORKFLOWS[HEAD])
        act_all()
        assert attempt_of(world, HEAD) == attempt
        upload(HEAD, attempt)
    settled = (HEAD, "success", [3, 5])
    assert annotated(world) == [settled]
    assert "settled tie" in comments(world)[0]

    # A newer head, on which a label has moved for good.
    pull_request(world, NEWER)
    for attempt in (1, 2, 3, 4):
        upload(NEWER, attempt, 0)
        end_workflow_run(world, WORKFLOWS[NEWER])
        act_all()
    regression = (NEWER, "failure", [1, 1])
    assert annotated(world) == [settled, regression]

    # Further CI runs of the same commit: each verdict is a check of its own.
    for number in range(1, 5):
        told = {"pr": PULL, "branch": "change", "run_id": f"nightly-{number}"}
        take(cases(*range(number), failure=WORDING, label="fraud"), 21, **told)
        act_all()

    assert annotated(world)[:2] == [settled, regression]
    assert len(checks(world)) == 6
    assert len({each["external_id"] for each in checks(world)}) == 6
    assert len(comments(world)) == 1
    shown = Publication.objects.filter(subject__in=[HEAD, NEWER, str(PULL)])
    assert {each.state for each in shown} == {PublicationState.DONE}
    assert {each.state for each in RequestedAction.objects.all()} == {ActionState.DONE}
    assert world.chaos
    assert world.chaos.done >= FEWEST_FAULTS
