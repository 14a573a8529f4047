"""The curl line that Buildkite documents for GitHub Actions, and its collector for pytest."""

import json
from subprocess import CompletedProcess

import pytest

from tests.clients.installed import curl, program
from tests.clients.jobs import ATTEMPT, MERGE, RUN_ID, SIZE, Job
from tests.clients.stored import Stored, stored
from tests.flows.suites import REPO
from triage.models import Run, Upload

pytestmark = pytest.mark.django_db(transaction=True)

TAGGED = """
import pytest

@pytest.mark.execution_tag("tiebreak.expected_label", "fraud")
@pytest.mark.execution_tag("tiebreak.label", "billing")
def test_label():
    assert "billing" == "fraud"

def test_other():
    pass
"""


def test_the_documented_line_stores_the_report_under_the_head(
    job: Job, url: str, secret: str
) -> None:
    done = upload(job, url, secret)

    assert done.returncode == 0, done.stdout
    assert stored() == Stored(
        REPO, job.head, 42, RUN_ID, ATTEMPT, SIZE - 1, 1, frozenset({("fraud", "billing")})
    )
    assert Run.objects.get().merge_sha == MERGE
    answer = json.loads(done.stdout)
    assert (answer["queued"], answer["run_url"].rsplit("/", 2)[1]) == (SIZE, answer["run_id"])


def test_the_line_fails_with_a_wrong_token_and_stores_nothing(
    job: Job, url: str, secret: str
) -> None:
    assert upload(job, url, "NOPE").returncode == 22
    assert not Upload.objects.exists()


def test_the_collector_for_pytest_brings_labels_as_tags(job: Job, url: str, secret: str) -> None:
    (job.folder / "test_tagged.py").write_text(TAGGED)
    told = {"BUILDKITE_ANALYTICS_TOKEN": secret, "BUILDKITE_ANALYTICS_API_URL": f"{url}/v1"}

    done = job.run(program("pytest"), "-q", "-p", "no:cacheprovider", "test_tagged.py", **told)

    assert "warning" not in done.stdout.lower(), done.stdout
    assert stored() == Stored(
        REPO, job.head, 42, RUN_ID, ATTEMPT, 1, 1, frozenset({("fraud", "billing")})
    )


def upload(job: Job, url: str, secret: str) -> CompletedProcess[str]:
    """Run the documented line in a shell, which fills in the variables."""
    line = (
        f"{curl()} -sS -X POST --fail-with-body -H 'Authorization: Token token=\"{secret}\"' "
        '-F "data=@reports/junit-evals.xml" -F "format=junit" -F "run_env[CI]=github_actions" '
        '-F "run_env[key]=$GITHUB_ACTION-$GITHUB_RUN_NUMBER-$GITHUB_RUN_ATTEMPT" '
        '-F "run_env[number]=$GITHUB_RUN_NUMBER" -F "run_env[branch]=$GITHUB_REF" '
        '-F "run_env[commit_sha]=$GITHUB_SHA" '
        '-F "run_env[url]=https://github.com/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID" '
        f"{url}/v1/uploads"
    )
    return job.run("sh", "-c", line)
