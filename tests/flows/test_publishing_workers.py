"""Four workers publish what CI sends in a burst; four times one of them is killed over it."""

import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import pytest
from celery import Celery
from django.utils import timezone

from tests.conftest import WebServer
from tests.flows.github import install
from tests.flows.suites import sha
from tests.servers import product
from tests.servers.deaths import PREFIX, PUBLISHING_POINTS
from tests.servers.github.server import fake_github
from tests.servers.github.world import Repository, World
from tests.servers.ports import LOOPBACK
from triage.models import Publication, Run, Verdict
from triage.terms import PublicationState
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

# SQLite is for one process without a broker; this is how the product runs on PostgreSQL.
pytestmark = [pytest.mark.broker, pytest.mark.postgres]

REPOS = ["acme/lives", *(PREFIX + point for point in PUBLISHING_POINTS)]
PULLS = (7, 8)
# By the number of a commit; every other one belongs to the same pull request. GitHub takes 50
# annotations with one request.
FAILURES = {1: 1, 2: 52, 3: 2, 4: 53}
WAIT_S = 120
ACCEPTED = 202
WORKERS = (
    "--concurrency=4",
    "--queues=ingest,publish",
    "--include=tests.servers.publishing_deaths",
)


@pytest.fixture
def world(transactional_db: None) -> Iterator[World]:
    """A GitHub with the App installed in all repositories."""
    with fake_github() as made:
        for name in REPOS:
            repository = made.add_repository(name, *map(sha, FAILURES))
            repository.pulls = {pull: {} for pull in PULLS}
        install(made)
        yield made
        assert made.violations() == []


def report(failures: int) -> bytes:
    """Return a report of flips, each of which stands at a line of its own."""
    cases = "".join(
        f'<testcase classname="tests.evals" name="test_{number}" file="tests/evals.py"'
        f' line="{number + 1}"><properties>'
        '<property name="tiebreak.expected_label" value="fraud"/>'
        '<property name="tiebreak.label" value="billing"/></properties>'
        "<failure message=\"assert 'billing' == 'fraud'\"/></testcase>"
        for number in range(failures)
    )
    return f'<testsuite name="evals">{cases}</testsuite>'.encode()


def send(port: int, token: str, repo: str, number: int) -> None:
    """Send the report of a commit, without waiting for its verdict."""
    told = {"repo": repo, "sha": sha(number), "pr": PULLS[number % len(PULLS)], "run_id": number}
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/xml"}
    request = urllib.request.Request(
        f"http://{LOOPBACK}:{port}/api/v1/uploads?{urlencode(told)}",
        report(FAILURES[number]),
        headers,
    )
    with urllib.request.urlopen(request, timeout=WAIT_S) as response:
        assert response.status == ACCEPTED


def until(is_so: Callable[[], bool], meanwhile: Callable[[], object]) -> None:
    """Do something, as a clock would, until something is so."""
    end = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < end, list(Publication.objects.values_list("state", "error"))
        meanwhile()
        threading.Event().wait(0.2)


def waiting() -> int:
    """Return how many publications are not delivered yet."""
    return Publication.objects.filter(state=PublicationState.WAITING).count()


def newest(repository: Repository, pull: int) -> str:
    """Return the commit of the pull request's newest run."""
    runs = Run.objects.filter(repository__full_name=repository.full_name, pr=pull)
    return str(runs.order_by("-at", "-pk")[0].sha)


def test_four_workers_one_of_which_is_killed_at_each_point_publish_everything_once(
    world: World, web_server: WebServer, product_env: dict[str, str], tmp_path: Path
) -> None:
    env = product_env | {"DEATHS": str(tmp_path)}
    tokens = {name: create_token(find_or_add_repository(name), "ci") for name in REPOS}
    sent = [(tokens[name], name, number) for number in FAILURES for name in REPOS]
    queue = Celery(broker=env["BROKER_URL"], set_as_current=False)

    def sweep() -> None:
        queue.send_task("triage.sweep_publications", queue="publish")

    with product.pool_worker(env, *WORKERS) as workers, ThreadPoolExecutor(4) as senders:
        web_server.process.wait_until_ready()
        list(senders.map(lambda each: send(web_server.port, *each), sent))
        until(lambda: Verdict.objects.count() == len(sent), sweep)
        # What is left belongs to the dead, whose leases need not run out in real time.
        until(lambda: waiting() == len(PUBLISHING_POINTS), sweep)
        assert {each.name for each in tmp_path.iterdir()} == set(PUBLISHING_POINTS), workers.output
        Publication.objects.update(leased_until=timezone.now())
        until(lambda: waiting() == 0, sweep)

    assert workers.output.count("exited with 'signal 9 (SIGKILL)'") == len(PUBLISHING_POINTS)
    assert Verdict.objects.filter(conclusion="on_hold").count() == len(sent)
    for repository in world.repositories.values():
        checks = sorted(repository.checks.values(), key=lambda check: check["head_sha"])
        assert [check["head_sha"] for check in checks] == [sha(number) for number in FAILURES]
        assert {check["conclusion"] for check in checks} == {"action_required"}
        for number, check in zip(FAILURES, checks, strict=True):
            lines = [note["start_line"] for note in check["annotations"]]
            assert sorted(lines) == list(range(1, FAILURES[number] + 1))
        assert sorted(comment["issue"] for comment in repository.comments.values()) == [*PULLS]
        for comment in repository.comments.values():
            assert f"`{newest(repository, comment['issue'])[:7]}`" in comment["body"]
