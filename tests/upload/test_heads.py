"""The head of a pull request, where CI tells the merge of it."""

from collections.abc import Iterator

import pytest

from tests.flows.github import PULL, pull_request, set_up
from tests.flows.suites import REPO, sha
from tests.servers.github.server import fake_github
from tests.servers.github.world import RefusalError, World
from triage.models import Repository, Run
from triage.upload.heads import with_head
from triage.upload.submission import Submission

pytestmark = pytest.mark.django_db(transaction=True)

BASE, HEAD, NEWER, MERGE, OWN_MERGE = (sha(number) for number in (19, 20, 21, 22, 23))


@pytest.fixture
def world() -> Iterator[World]:
    """Return a GitHub whose pull request moved on since CI tested it."""
    with fake_github() as made:
        set_up(made, HEAD, NEWER, OWN_MERGE)
        made.repositories[REPO].merges[MERGE] = (BASE, HEAD)
        pull_request(made, NEWER)
        yield made
        assert made.violations() == []


def told(commit: str, *, pr: int | None = PULL, is_merge: bool = False) -> Submission:
    """Return what a client tells."""
    return Submission(repo=REPO, sha=commit, pr=pr, is_merge=is_merge)


def test_the_head_that_was_tested_is_found_though_there_is_a_newer_one(world: World) -> None:
    found = with_head(told(MERGE))

    assert (found.sha, found.merge_sha) == (HEAD, MERGE)


@pytest.mark.parametrize("commit", [NEWER, HEAD, OWN_MERGE])
def test_a_head_stays_as_it_is(world: World, commit: str) -> None:
    found = with_head(told(commit))

    assert (found.sha, found.merge_sha) == (commit, "")


def test_github_is_asked_once_for_all_parts_of_a_run(world: World) -> None:
    repository = Repository.objects.get()
    Run.objects.create(repository=repository, sha=HEAD, merge_sha=MERGE, pr=PULL)
    before = len(world.log)

    assert with_head(told(MERGE)).sha == HEAD
    assert len(world.log) == before


@pytest.mark.parametrize(("is_merge", "commit"), [(True, NEWER), (False, MERGE)])
def test_without_an_answer_the_newest_head_is_taken_where_the_merge_was_told(
    world: World, is_merge: bool, commit: str
) -> None:
    world.faults.append(("commits", RefusalError(502, "Server Error"), False))

    assert with_head(told(MERGE, is_merge=is_merge)).sha == commit


def test_a_run_of_a_branch_asks_for_nothing(world: World) -> None:
    before = len(world.log)

    assert with_head(told(MERGE, pr=None)).sha == MERGE
    assert len(world.log) == before
