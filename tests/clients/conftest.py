"""A server as the README starts it, a GitHub that knows the pull request, a job, and a token."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.jobs import BASE, MERGE, PULL, Job, make_job
from tests.flows.github import pull_request, set_up
from tests.flows.suites import REPO
from tests.servers import product
from tests.servers.github.server import fake_github
from tests.servers.github.world import World
from tests.servers.ports import LOOPBACK, free_port
from triage.models import Repository
from triage.upload.tokens import create_token


@pytest.fixture(scope="module")
def port(django_db_setup: None) -> Iterator[int]:
    """The port of ``tiebreak serve`` without a broker, on the tests' database.

    It ends with the module: its clock would do the work of other tests, at another time of day.
    """
    from django.db import connection

    chosen = free_port()
    # The names that Datadog's uploader makes of its site.
    hosts = {"ALLOWED_HOSTS": "cireport-intake.triage.test,api.triage.test"}
    environment = product.environment(connection.settings_dict, "") | hosts
    with product.web_server(environment, chosen) as process:
        process.wait_until_ready()
        yield chosen


@pytest.fixture
def url(port: int) -> str:
    """The address of the server."""
    return f"http://{LOOPBACK}:{port}"


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job of a pull request."""
    return make_job(tmp_path)


@pytest.fixture
def github(transactional_db: None, job: Job) -> Iterator[World]:
    """A GitHub with the App installed, which merged the pull request for CI to test."""
    with fake_github() as world:
        set_up(world, job.head)
        made = world.repositories[REPO]
        made.merges[MERGE] = (BASE, job.head)
        assert pull_request(world, job.head, number=PULL) == 202
        yield world
        assert world.violations() == []


@pytest.fixture
def secret(github: World) -> str:
    """A token of the repository."""
    return create_token(Repository.objects.get(full_name=REPO), "ci")
