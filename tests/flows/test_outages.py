"""What fails beside the product: database, broker, disk, and the web server itself."""

import resource
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from tests.flows.suites import REPO, report, sha, suite
from tests.servers import postgres, product
from tests.servers.deaths import PREFIX, SERVER_POINTS
from tests.servers.missing import stop_without
from tests.servers.ports import LOOPBACK, free_port
from triage import outbox, pipeline
from triage.celery import app as product_app
from triage.models import Run, Upload
from triage.storage_settings import upload_storage_settings
from triage.terms import UploadState
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

pytestmark = pytest.mark.postgres

BODY = report(suite(40))
# Less than the report, more than anything else that is written meanwhile.
LARGEST_FILE = 4_000


def send(port: int, secret: str, repo: str = REPO) -> tuple[int, str | None]:
    """Upload a report to a server in another process; return status and Retry-After."""
    request = urllib.request.Request(
        f"http://{LOOPBACK}:{port}/api/v1/uploads?repo={repo}&sha={sha(1)}&run_id=1",
        BODY,
        {"Authorization": f"Bearer {secret}", "Content-Type": "application/xml"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers["Retry-After"]
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Retry-After"]


def post(secret: str) -> Any:
    """Upload a report in this process."""
    form = {"repo": REPO, "sha": sha(1), "files": SimpleUploadedFile("junit.xml", BODY)}
    headers = {"Authorization": f"Bearer {secret}"}
    return Client().post("/api/v1/uploads", form, headers=headers)


def manage(env: dict[str, str], *command: str) -> str:
    """Run a command in a process of its own; return what it wrote."""
    done = subprocess.run(
        [sys.executable, "manage.py", *command], env=env, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_a_database_that_goes_away_is_503_and_the_same_upload_works_once_it_is_back(
    tmp_path: Path,
) -> None:
    programs = postgres.find_programs()
    if programs is None:
        stop_without("PostgreSQL", postgres.REMEDY)
    with postgres.throwaway_cluster(programs) as cluster:
        env = product.plain_environment(cluster.url.removesuffix("tiebreak") + "postgres")
        env |= {"TIEBREAK_DATA_DIR": str(tmp_path)}
        manage(env, "migrate", "--verbosity=0")
        secret = manage(env, "create_token", REPO).split()[-1]
        port = free_port()
        with product.web_server(env, port) as web:
            web.wait_until_ready()
            cluster.stop()
            assert send(port, secret) == (503, "5")
            cluster.start()
            assert send(port, secret) == (201, None), web.output
            assert send(port, secret) == (200, None), web.output


@pytest.mark.django_db(transaction=True)
def test_without_its_broker_an_upload_is_taken_and_done_later(
    settings: Any, monkeypatch: pytest.MonkeyPatch, dead_port: int
) -> None:
    product_app.set_current()
    monkeypatch.setattr(product_app.amqp, "_producer_pool", None)
    secret = create_token(find_or_add_repository(REPO), "ci")
    settings.BROKER_URL = f"redis://{LOOPBACK}:{dead_port}/0"
    with broker_at(settings.BROKER_URL):
        answer = post(secret)
    assert (answer.status_code, answer.json()["status"]) == (202, "pending")
    settings.BROKER_URL = ""
    assert pipeline.sweep() == 1
    assert Upload.objects.get().state == UploadState.JUDGED


@contextmanager
def broker_at(url: str) -> Iterator[None]:
    """Let this process's Celery send to a broker."""
    before = product_app.conf.broker_url
    product_app.conf.broker_url = url
    product_app.conf.broker_write_url = url
    try:
        yield
    finally:
        product_app.conf.broker_url = product_app.conf.broker_write_url = before


@pytest.mark.django_db(transaction=True)
def test_a_disk_that_takes_no_more_is_503_and_leaves_no_row(settings: Any, tmp_path: Path) -> None:
    # A report that another test stored before would not be written again.
    settings.STORAGES = settings.STORAGES | {"uploads": upload_storage_settings("", tmp_path)}
    secret = create_token(find_or_add_repository(REPO), "ci")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, before[1]))
    try:
        refused = post(secret)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    assert "the upload storage cannot be written to" in refused.json()["error"]["message"]
    assert not Run.objects.exists()
    assert post(secret).json()["conclusion"] == "passed"


@pytest.mark.broker
@pytest.mark.parametrize("point", SERVER_POINTS)
def test_a_web_server_that_is_killed_loses_nothing_and_takes_nothing_twice(
    point: str, transactional_db: None, product_env: dict[str, str], tmp_path: Path
) -> None:
    repo = PREFIX + point
    secret = create_token(find_or_add_repository(repo), "ci")
    env = product_env | {"DEATHS": str(tmp_path), "BROKER_URL": ""}
    port = free_port()
    deadly = ("-m", "tests.servers.deaths")
    with product.web_server(env, port, deadly) as first:
        first.wait_until_ready()
        with pytest.raises((OSError, urllib.error.URLError)):
            send(port, secret, repo)
        first.wait_until_dead()
    kept = Upload.objects.filter(repository__full_name=repo)
    assert kept.count() == (point == "upload-committed")
    kept.update(leased_until=timezone.now() - timedelta(seconds=1))
    pipeline.sweep()
    port = free_port()
    with product.web_server(env, port, deadly) as second:
        second.wait_until_ready()
        assert send(port, secret, repo)[0] == (200 if point == "upload-committed" else 201)
    only = Upload.objects.get(repository__full_name=repo)
    assert (only.state, only.attempts) == (UploadState.JUDGED, 1)
    assert outbox.take_unowned() == []
