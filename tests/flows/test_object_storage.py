"""Raw uploads in an S3-compatible storage: several hosts, and one that does not answer."""

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from tests.flows.suites import REPO, report, sha, suite
from tests.servers import product
from tests.servers.object_storage import KEYS, object_storage, storage_url
from tests.servers.ports import LOOPBACK, free_port
from triage.models import Upload
from triage.record.storage import upload_storage
from triage.storage_settings import upload_storage_settings
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

BODY = report(suite(3))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return the setting that leads to an empty bucket."""
    with pytest.MonkeyPatch.context() as patch, object_storage() as endpoint:
        for name, value in KEYS.items():
            patch.setenv(name, value)
        yield storage_url(endpoint)


def use(address: str) -> Any:
    """Return a context in which uploads are kept at an address."""
    entry = upload_storage_settings(address, Path())
    return override_settings(STORAGES=storages.backends | {"uploads": entry})


def post(secret: str, number: int = 1) -> Any:
    """Upload a report over HTTP."""
    form = {"repo": REPO, "sha": sha(number), "files": SimpleUploadedFile("junit.xml", BODY)}
    headers = {"Authorization": f"Bearer {secret}"}
    return Client().post("/api/v1/uploads", form, headers=headers)


@pytest.mark.django_db(transaction=True)
def test_an_upload_is_kept_once_and_read_again(address: str) -> None:
    secret = create_token(find_or_add_repository(REPO), "ci")
    with use(address):
        assert post(secret).json()["conclusion"] == "passed"
        assert post(secret, 2).json()["conclusion"] == "passed"
        first, second = Upload.objects.order_by("received_at")
        assert first.files == second.files
        with upload_storage().open(first.files[0]["stored_as"]) as stored:
            assert stored.read() == BODY


@pytest.mark.django_db(transaction=True)
def test_a_storage_that_does_not_answer_is_503_and_leaves_no_row(
    address: str, dead_port: int
) -> None:
    secret = create_token(find_or_add_repository(REPO), "ci")
    with use(f"s3://uploads?endpoint=http://{LOOPBACK}:{dead_port}"):
        answer = post(secret)
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "the upload storage cannot be written to" in answer.json()["error"]["message"]
    assert not Upload.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_bucket_that_there_is_not_is_503_and_leaves_no_row(address: str) -> None:
    secret = create_token(find_or_add_repository(REPO), "ci")
    with use(address.replace("s3://uploads", "s3://nowhere")):
        answer = post(secret)
    assert (answer.status_code, Upload.objects.count()) == (503, 0)


@pytest.mark.broker
@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_server_and_a_worker_share_nothing_but_database_broker_and_storage(
    address: str, product_env: dict[str, str], tmp_path: Path
) -> None:
    """Two hosts, so far as files are concerned: each has a data directory of its own."""
    secret = create_token(find_or_add_repository(REPO), "ci")
    env = product_env | KEYS | {"STORAGE_URL": address}
    port = free_port()
    with (
        product.web_server(env | {"TIEBREAK_DATA_DIR": str(tmp_path / "web")}, port) as web,
        product.worker(env | {"TIEBREAK_DATA_DIR": str(tmp_path / "worker")}) as worker,
    ):
        web.wait_until_ready()
        request = urllib.request.Request(
            f"http://{LOOPBACK}:{port}/api/v1/uploads?repo={REPO}&sha={sha(1)}&wait=60",
            BODY,
            {"Authorization": f"Bearer {secret}", "Content-Type": "application/xml"},
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            document = json.load(answer)
    assert document["conclusion"] == "passed", worker.output
    assert not (tmp_path / "web" / "uploads").exists()
    assert not (tmp_path / "worker" / "uploads").exists()
