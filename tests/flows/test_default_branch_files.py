"""Policy and owners as the default branch has them: read on push and when old, and never else."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from tests.flows.github import PULL, checks, comments, deliver, publish_all, pull_request, set_up
from tests.flows.suites import REPO, START, WORDING, CaseRun, history, sha, suite, take
from tests.servers.github.server import fake_github
from tests.servers.github.world import RefusalError, World
from triage.models import Repository, RepositoryFiles, StoredPolicy
from triage.policy.stored import policy_in_force
from triage.publish.repository_files import STALE_AFTER

pytestmark = pytest.mark.django_db(transaction=True)

HEAD = sha(20)
GOOD = 'version: 1\nllm_tests: ["tests/evals/**"]\n'
BAD = "version: 1\nbudgets:\n  - match: tests/**\n    rate: often\n"
OWNERS = "tests/evals/ @acme/fraud\n"
CASE = "test_ticket[1]"
NOW = START + timedelta(hours=30)


@pytest.fixture
def world() -> Iterator[World]:
    """Return a GitHub on which the App is installed."""
    with time_machine.travel(NOW), fake_github() as made:
        set_up(made, HEAD)
        yield made
        assert made.violations() == []


def push(world: World, *paths: str, ref: str = "refs/heads/main", **told: Any) -> None:
    """Deliver a push that touched these files."""
    made = world.repositories[REPO]
    repository = {"id": made.id, "full_name": REPO, "default_branch": made.default_branch}
    commits = [{"added": [], "modified": list(paths), "removed": []}]
    deliver("push", {"ref": ref, "commits": commits, "repository": repository} | told)


def asked(world: World) -> int:
    """Return how many files were asked for and sent."""
    return sum("/contents/" in path and status == 200 for _, path, status, _ in world.log)


def in_force() -> str:
    """Return the text of the policy in force."""
    return policy_in_force(Repository.objects.get().pk).text


def codeowners() -> str:
    """Return the owners in force."""
    return Repository.objects.get().codeowners


def files(world: World) -> dict[str, str]:
    """Return the files of the default branch."""
    return world.repositories[REPO].files


def test_a_push_to_the_default_branch_brings_policy_and_owners(world: World) -> None:
    files(world).update({".tiebreak.yml": GOOD, ".github/CODEOWNERS": OWNERS})

    push(world, ".tiebreak.yml")

    assert (in_force(), codeowners()) == (GOOD, OWNERS)
    stored = StoredPolicy.objects.get()
    assert (stored.source, stored.branch) == ("forge", "main")


@pytest.mark.parametrize(
    "told",
    [
        {"ref": "refs/heads/change"},
        {"ref": "refs/tags/main"},
        {"commits": [{"added": ["src/app.py"]}]},
        {"deleted": True},
    ],
)
def test_what_does_not_touch_them_there_asks_for_nothing(
    world: World, told: dict[str, Any]
) -> None:
    files(world)[".tiebreak.yml"] = GOOD

    push(world, ".tiebreak.yml", **told)

    assert asked(world) == 0
    assert in_force() == ""


def test_a_forced_push_is_read_whatever_it_tells(world: World) -> None:
    files(world)[".tiebreak.yml"] = GOOD

    push(world, "src/app.py", forced=True)

    assert in_force() == GOOD


def test_the_first_of_the_three_places_counts(world: World) -> None:
    files(world).update({"docs/CODEOWNERS": "* @docs\n", "CODEOWNERS": "* @root\n"})
    push(world, "CODEOWNERS")
    assert codeowners() == "* @root\n"

    files(world)[".github/CODEOWNERS"] = "* @github\n"
    push(world, ".github/CODEOWNERS")
    assert codeowners() == "* @github\n"

    del files(world)[".github/CODEOWNERS"]
    push(world, ".github/CODEOWNERS")
    assert codeowners() == "* @root\n"


def test_an_upload_reads_them_when_old_and_what_is_unchanged_is_not_sent(world: World) -> None:
    files(world).update({".tiebreak.yml": GOOD, "CODEOWNERS": OWNERS})
    take(suite(2), 20)
    assert (in_force(), asked(world)) == (GOOD, 2)

    take(suite(2), 21)
    assert asked(world) == 2
    with time_machine.travel(NOW + STALE_AFTER + timedelta(seconds=1)):
        take(suite(2), 22)

    # Asked again, answered with 304.
    assert asked(world) == 2
    unchanged = [path for _, path, status, _ in world.log if status == 304]
    assert [path.rsplit("/", 1)[-1] for path in unchanged] == [".tiebreak.yml", "CODEOWNERS"]
    assert StoredPolicy.objects.count() == 1


def test_a_policy_with_errors_is_shown_on_the_check_and_the_last_good_one_stays(
    world: World,
) -> None:
    history(4)
    files(world)[".tiebreak.yml"] = GOOD
    push(world, ".tiebreak.yml")
    files(world)[".tiebreak.yml"] = BAD
    push(world, ".tiebreak.yml")
    pull_request(world, HEAD, "opened")
    take(suite(4), 20, pr=PULL, branch="change", run_id="ci-20")
    publish_all()

    assert in_force() == GOOD
    summary = checks(world)[-1]["output"]["summary"]
    assert "is not in force, line 4, column 11 (budgets\\[0\\].rate)" in summary
    assert "The last good one judges." in summary


def test_a_policy_that_is_taken_away_leaves_the_defaults(world: World) -> None:
    files(world).update({".tiebreak.yml": GOOD, "CODEOWNERS": OWNERS})
    push(world, ".tiebreak.yml")
    files(world).clear()
    push(world, ".tiebreak.yml")

    assert "was removed from the default branch" in in_force()
    assert codeowners() == ""
    assert not policy_in_force(Repository.objects.get().pk).policy.llm_tests


def test_files_that_a_command_told_stay_where_the_branch_never_had_any(world: World) -> None:
    Repository.objects.update(codeowners=OWNERS)

    push(world, ".tiebreak.yml")

    assert codeowners() == OWNERS


def test_a_repository_that_cannot_be_seen_is_not_taken_for_one_without_files(
    world: World,
) -> None:
    files(world).update({".tiebreak.yml": GOOD, "CODEOWNERS": OWNERS})
    push(world, ".tiebreak.yml")
    gone = world.repositories.pop(REPO)
    deliver("push", {
        "ref": "refs/heads/main", "repository": {"id": gone.id, "default_branch": "main"},
    })  # fmt: skip

    assert (in_force(), codeowners()) == (GOOD, OWNERS)
    assert "shows no repository" in RepositoryFiles.objects.get().error


def test_an_upload_is_judged_while_the_files_cannot_be_read(world: World) -> None:
    world.faults.append(("GET .*contents", RefusalError(502, "Server Error"), False))

    verdict = take(suite(2), 20)

    assert verdict["conclusion"] == "passed"
    assert any("could not be read; those read before hold" in each for each in verdict["warnings"])


def test_the_owners_of_a_failing_case_stand_in_the_comment_and_notify_nobody(
    world: World,
) -> None:
    history(4)
    files(world)["CODEOWNERS"] = OWNERS
    push(world, "CODEOWNERS")
    pull_request(world, HEAD, "opened")
    verdict = take(suite(4, CaseRun(CASE, WORDING)), 20, pr=PULL, branch="change", run_id="ci-20")
    publish_all()

    assert verdict["findings"][0]["owners"] == ["@acme/fraud"]
    assert "· `@acme/fraud`" in comments(world)[0]
