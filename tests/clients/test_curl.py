"""The API by curl, in every form in which a body can arrive."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.clients.installed import curl
from tests.clients.jobs import ATTEMPT, MERGE, RUN_ID, SIZE, Job
from tests.clients.stored import Stored, stored
from tests.flows.suites import REPO, report, suite
from triage.models import Upload

pytestmark = pytest.mark.django_db(transaction=True)

FIELDS = (
    '-F "repo=$GITHUB_REPOSITORY" -F "sha=$GITHUB_SHA" -F "ref=$GITHUB_REF" '
    '-F "run_id=$GITHUB_RUN_ID" -F "attempt=$GITHUB_RUN_ATTEMPT" -F "job=$GITHUB_JOB"'
)
QUERY = (
    "repo=$GITHUB_REPOSITORY&sha=$GITHUB_SHA&ref=$GITHUB_REF&run_id=$GITHUB_RUN_ID"
    "&attempt=$GITHUB_RUN_ATTEMPT&job=$GITHUB_JOB"
)


@pytest.mark.parametrize(
    "request_line",
    [
        f"{FIELDS} -F files=@reports/junit-evals.xml '{{url}}/api/v1/uploads'",
        f"{FIELDS} -F files=@reports/junit-evals.xml '{{url}}//api/v1/uploads'",
        f"{FIELDS} -F files=@reports/junit-evals.xml -H 'Transfer-Encoding: chunked' "
        "'{url}/api/v1/uploads'",
        f"-X POST -T reports/junit-evals.xml -H 'Transfer-Encoding: chunked' "
        f'"{{url}}/api/v1/uploads?{QUERY}"',
    ],
    ids=["form", "double-slash", "chunked-form", "chunked-body"],
)
def test_a_report_is_stored_under_the_head(
    job: Job, url: str, secret: str, request_line: str
) -> None:
    done = send(job, secret, request_line.replace("{url}", url))

    assert done.returncode == 0, done.stdout
    assert stored() == Stored(
        REPO, job.head, 42, RUN_ID, ATTEMPT, SIZE - 1, 1, frozenset({("fraud", "billing")})
    )
    assert json.loads(done.stdout)["sha"] == job.head != MERGE


def test_a_large_report_is_taken(job: Job, url: str, secret: str) -> None:
    big = suite(20_000)
    (job.folder / "big.xml").write_bytes(report(big))
    line = f"{FIELDS} -F files=@big.xml '{url}/api/v1/uploads'"

    done = send(job, secret, line)

    assert Path(job.folder / "big.xml").stat().st_size > 5_000_000
    assert done.returncode == 0, done.stdout
    assert stored().passed == len(big)


def test_two_files_in_one_field_are_refused_and_nothing_is_stored(
    job: Job, url: str, secret: str
) -> None:
    """curl sends ``a,b`` as multipart/mixed, of which nothing would be read."""
    both = "reports/junit-evals.xml,reports/junit-evals.xml"

    done = send(job, secret, f"{FIELDS} -F 'files=@{both}' '{url}/api/v1/uploads'")

    assert done.returncode == 22
    assert json.loads(done.stdout.splitlines()[-1])["error"]["code"] == "no_files"
    assert not Upload.objects.exists()


def send(job: Job, secret: str, line: str) -> CompletedProcess[str]:
    """Run curl in a shell, which fills in the variables."""
    header = f"-H 'Authorization: Bearer {secret}'"
    return job.run("sh", "-c", f"{curl()} -sS --fail-with-body {header} {line}")
