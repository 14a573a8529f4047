"""Check runs and comments on GitHub, against a GitHub that checks every request."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.publish.test_comment import many
from tests.servers.github.server import fake_github
from tests.servers.github.world import (
    APP_ID,
    INSTALLATION,
    SLUG,
    RefusalError,
    World,
    private_key,
)
from triage.publish.check_run import CheckRun, Place, check_run
from triage.publish.comment import MARKER
from triage.publish.forge import GoneForgeError, TemporaryForgeError
from triage.publish.github.access import AppKey, installation_client
from triage.publish.github.forge import GitHubForge

REPO = "acme/support-bot"
SHA = "a" * 40
PULL = 7


@pytest.fixture(params=["", "/api/v3"], ids=["github.com", "enterprise"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Return a GitHub with one repository, one commit and one pull request."""
    with fake_github(request.param) as made:
        made.add_repository(REPO, SHA).pulls[PULL] = {"head_sha": SHA}
        yield made
        assert made.violations() == []


def forge(world: World) -> GitHubForge:
    """Return the product's view of the repository."""
    key = AppKey(APP_ID, private_key(), world.base)
    client = installation_client(key, INSTALLATION, world.repositories[REPO].id)
    return GitHubForge(client, REPO, APP_ID, SLUG)


def check(failures: int = 1) -> CheckRun:
    """Return the check run of a blocked run with so many annotations."""
    document: dict[str, Any] = many([f"t.py::test_{number}" for number in range(failures)])
    for number, finding in enumerate(document["findings"]):
        finding["result_id"] = number
    places = {number: Place("t.py", number + 1) for number in range(failures)}
    told = {"conclusion": "blocked", "second_pass": {"repeats": 0, "cases": []}}
    return check_run(document | told, {}, places)


def checks(world: World) -> list[dict[str, Any]]:
    """Return the check runs that the repository has."""
    return list(world.repositories[REPO].checks.values())


def comments(world: World) -> list[str]:
    """Return the comments that the repository has."""
    return [each["body"] for each in world.repositories[REPO].comments.values()]


def test_a_check_run_is_made_once_however_often_it_is_asked_for(world: World) -> None:
    first = forge(world).set_check(SHA, "verdict-1", check())
    second = forge(world).set_check(SHA, "verdict-1", check())

    (made,) = checks(world)
    assert first.remote_id == second.remote_id == made["id"]
    assert (made["conclusion"], len(made["annotations"])) == ("failure", 1)


def test_annotations_are_sent_in_batches_and_never_twice(world: World) -> None:
    forge(world).set_check(SHA, "verdict-1", check(120))
    forge(world).set_check(SHA, "verdict-1", check(120))

    (made,) = checks(world)
    assert [each["start_line"] for each in made["annotations"]] == list(range(1, 121))


@pytest.mark.parametrize("fault", [RefusalError(502, "Server Error"), None], ids=["502", "dropped"])
def test_a_lost_answer_makes_no_second_check_run(world: World, fault: RefusalError | None) -> None:
    world.faults.append(("POST .*check-runs", fault, True))

    with pytest.raises(TemporaryForgeError):
        forge(world).set_check(SHA, "verdict-1", check())
    forge(world).set_check(SHA, "verdict-1", check())

    assert len(checks(world)) == 1


def test_a_run_that_waits_is_taken_over_by_the_first_verdict(world: World) -> None:
    waiting = CheckRun("in_progress", None, "Waiting", "Waiting for a report.", (), ())
    forge(world).set_check(SHA, "waiting", waiting)
    forge(world).set_check(SHA, "verdict-1", check())

    (made,) = checks(world)
    assert (made["external_id"], made["status"]) == ("verdict-1", "completed")


def test_a_run_that_is_taken_over_gets_the_annotations_of_the_verdict_that_takes_it(
    world: World,
) -> None:
    one, other = check(60), check(120)
    still_open = replace(one, status="in_progress", conclusion=None, actions=())
    forge(world).set_check(SHA, "verdict-1", still_open)
    forge(world).set_check(SHA, "verdict-2", replace(other, annotations=other.annotations[55:]))

    (made,) = checks(world)
    assert [each["start_line"] for each in made["annotations"]] == list(range(1, 121))


def test_another_verdict_on_the_same_commit_is_a_run_of_its_own(world: World) -> None:
    forge(world).set_check(SHA, "verdict-1", check())
    forge(world).set_check(SHA, "verdict-2", check(2))

    assert [len(each["annotations"]) for each in checks(world)] == [1, 2]


def test_a_check_run_of_another_app_is_left_alone(world: World) -> None:
    forge(world).set_check(SHA, "verdict-1", check())
    checks(world)[0]["app"] = 9

    forge(world).set_check(SHA, "verdict-1", check())

    assert len(checks(world)) == 2


def test_the_comment_is_edited_in_place(world: World) -> None:
    first = forge(world).set_comment(PULL, f"{MARKER}\n\none", None)
    forge(world).set_comment(PULL, f"{MARKER}\n\ntwo", first.remote_id)

    assert comments(world) == [f"{MARKER}\n\ntwo"]


def test_a_comment_whose_number_was_lost_is_found_by_its_marker_and_author(world: World) -> None:
    forge(world).set_comment(PULL, f"{MARKER}\n\none", None)
    somebody = {"author": "mallory", "body": f"{MARKER}\n\nfake", "id": 1, "issue": PULL}
    times = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
    world.repositories[REPO].comments = {1: somebody | times} | world.repositories[REPO].comments

    forge(world).set_comment(PULL, f"{MARKER}\n\ntwo", None)

    assert comments(world) == [f"{MARKER}\n\nfake", f"{MARKER}\n\ntwo"]


def test_a_deleted_comment_is_made_anew(world: World) -> None:
    shown = forge(world).set_comment(PULL, f"{MARKER}\n\none", None)
    world.repositories[REPO].comments.clear()

    forge(world).set_comment(PULL, f"{MARKER}\n\ntwo", shown.remote_id)

    assert comments(world) == [f"{MARKER}\n\ntwo"]


@pytest.mark.parametrize(
    ("refusal", "pause"),
    [
        (RefusalError(403, "You have exceeded a secondary rate limit", retry_after="30"), 30.0),
        (RefusalError(403, "You have exceeded a secondary rate limit"), 60.0),
        (RefusalError(429, "Too many requests"), 60.0),
        (RefusalError(503, "Unavailable"), None),
    ],
)
def test_limits_say_when_to_come_back(
    world: World, refusal: RefusalError, pause: float | None
) -> None:
    world.faults.append(("POST .*comments", refusal, False))

    with pytest.raises(TemporaryForgeError) as raised:
        forge(world).set_comment(PULL, "x", None)

    assert raised.value.retry_after == pause


def test_a_suspended_installation_is_gone(world: World) -> None:
    known = forge(world)
    world.is_suspended = True

    with pytest.raises(GoneForgeError, match="suspended"):
        known.set_comment(PULL, "x", None)


def test_a_token_reaches_one_repository_and_is_fetched_once(world: World) -> None:
    world.add_repository("acme/other", SHA)
    forge(world).set_comment(PULL, f"{MARKER} x", None)
    forge(world).set_comment(PULL, f"{MARKER} x", None)

    (token,) = world.tokens.values()
    assert token["repositories"] == {world.repositories[REPO].id}
