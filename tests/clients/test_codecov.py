"""codecov-cli, as Codecov's action runs it."""

from subprocess import CompletedProcess

import pytest

from tests.clients.installed import program
from tests.clients.jobs import MERGE, RUN_ID, SIZE, Job
from tests.clients.stored import Stored, stored
from tests.flows.suites import REPO
from triage.models import Run, Upload

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("command", "slash"), [("upload-coverage", ""), ("do-upload", "/")], ids=["action", "slash"]
)
def test_a_report_is_stored_and_its_verdict_is_printed(
    job: Job, url: str, secret: str, command: str, slash: str
) -> None:
    done = upload(job, url + slash, secret, command, "--env", "GITHUB_RUN_ATTEMPT")

    assert stored() == Stored(
        REPO, job.head, 42, RUN_ID, 2, SIZE - 1, 1, frozenset({("fraud", "billing")})
    )
    assert Run.objects.get().merge_sha == MERGE
    assert "On hold: 1 near tie" in done.stdout
    assert done.returncode == 1


def test_a_verdict_fails_no_step_that_does_not_ask_for_it(job: Job, url: str, secret: str) -> None:
    done = upload(job, url, secret, "do-upload", is_strict=False)

    assert done.returncode == 0
    assert "On hold: 1 near tie" in done.stdout


def test_a_wrong_token_fails_and_stores_nothing(job: Job, url: str, secret: str) -> None:
    done = upload(job, url, "NOPE", "do-upload")

    assert done.returncode == 1
    assert "the token is not known here" in done.stdout
    assert not Upload.objects.exists()


def upload(
    job: Job, url: str, secret: str, command: str, *more: str, is_strict: bool = True
) -> CompletedProcess[str]:
    """Run the uploader over the job's reports."""
    strict = ["--fail-on-error"] if is_strict else []
    told = ["--report-type", "test_results", "--dir", "reports", "-t", secret, *strict, *more]
    return job.run(program("codecovcli"), "--disable-telem", "--url", url, command, *told)
