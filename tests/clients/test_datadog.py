"""datadog-ci, whose host names are fixed: it is led here by a proxy that ends TLS."""

import os
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.clients.installed import DATADOG, DATADOG_PACKAGE
from tests.clients.jobs import ATTEMPT, RUN_ID, SIZE, Job
from tests.clients.stored import Stored, stored
from tests.clients.tls_proxy import tls_proxy
from tests.flows.suites import REPO
from tests.notifications.certificates import server_context, write_certificate
from triage.models import Run, Upload

pytestmark = [
    pytest.mark.django_db(transaction=True),
    # 60 MB and Node; make test-clients asks for it.
    pytest.mark.skipif(
        not DATADOG.exists() and "TEST_NPM_CLIENTS" not in os.environ,
        reason=f"{DATADOG_PACKAGE} is not installed; run 'make test-clients'",
    ),
]


@pytest.fixture
def site(tmp_path: Path, port: int) -> Iterator[dict[str, str]]:
    """What the uploader needs to be told to come here."""
    certificate = write_certificate(tmp_path, "*.triage.test")
    with tls_proxy(server_context(certificate), port) as address:
        yield {
            "DD_SITE": "triage.test",
            "HTTPS_PROXY": address,
            "NODE_EXTRA_CA_CERTS": str(certificate),
        }


def test_a_report_is_stored_under_the_head(job: Job, secret: str, site: dict[str, str]) -> None:
    done = upload(job, secret, site)

    assert done.returncode == 0, done.stdout
    assert stored() == Stored(
        REPO, job.head, 42, RUN_ID, ATTEMPT, SIZE - 1, 1, frozenset({("fraud", "billing")})
    )
    assert Run.objects.get().parts.get().name == "llm-tests"


def test_a_wrong_key_fails_and_stores_nothing(job: Job, secret: str, site: dict[str, str]) -> None:
    assert upload(job, "NOPE", site).returncode == 1
    assert not Upload.objects.exists()


def upload(job: Job, key: str, site: dict[str, str]) -> CompletedProcess[str]:
    """Run the uploader over the job's reports."""
    command = ["junit", "upload", "--service", "support-bot", "--tags", "team:ml", "reports"]
    return job.run(str(DATADOG), *command, DD_API_KEY=key, **site)
