"""Send the demo's runs through the upload door, back-dated, and return their verdicts."""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from triage import pipeline
from triage.demo.evals import EvalCase
from triage.demo.reports import report
from triage.demo.runs import (
    MAIN_RUNS,
    PULL_REQUEST_RUN,
    Execution,
    Request,
    main_run,
    pull_request_run,
    second_pass,
)
from triage.models import Verdict
from triage.parse.upload import UploadedFile
from triage.upload.acceptance import accept
from triage.upload.submission import Submission

REPO = "acme/paper-reader"
PULL_REQUEST = 42
PULL_REQUEST_BRANCH = "shorter-prompt"
# The second pass follows the first one within the same CI run.
SECOND_PASS_AFTER = timedelta(minutes=10)

Document = dict[str, Any]


def main_submissions(
    cases: Sequence[EvalCase], now: datetime, first: int = 1
) -> Iterator[Submission]:
    """Yield the runs of the main branch from a number on, one a day, the last one yesterday."""
    for number in range(first, MAIN_RUNS + 1):
        yield Submission(
            repo=REPO,
            sha=commit_id(number),
            branch="main",
            run_id=str(number),
            at=now - timedelta(days=PULL_REQUEST_RUN - number),
            files=_files(main_run(cases, number)),
        )


def pull_request_submission(cases: Sequence[EvalCase], now: datetime) -> Submission:
    """Return the first attempt of the pull request's run."""
    return _pull_request(pull_request_run(cases), 1, now - SECOND_PASS_AFTER)


def second_pass_submission(
    cases: Sequence[EvalCase], verdict: Document, now: datetime
) -> Submission:
    """Return the second attempt: the repeats that the verdict on the first one asks for."""
    requests = [
        Request(asked["classname"], asked["name"], asked["repeats"])
        for asked in verdict["second_pass"]["cases"]
    ]
    return _pull_request(second_pass(cases, requests), 2, now)


def send(submission: Submission) -> Document:
    """Take a submission through the door to its verdict, as an upload over HTTP would go."""
    upload = accept(submission).upload
    pipeline.process(upload.pk)
    document: Document = Verdict.objects.get(run=upload.run, is_current=True).document
    return document


def commit_id(number: int) -> str:
    """Return the made-up commit of a run, the same at every replay."""
    return hashlib.sha256(f"{REPO} {number}".encode()).hexdigest()[:40]


def _pull_request(executions: Sequence[Execution], attempt: int, at: datetime) -> Submission:
    return Submission(
        repo=REPO,
        sha=commit_id(PULL_REQUEST_RUN),
        branch=PULL_REQUEST_BRANCH,
        pr=PULL_REQUEST,
        base_sha=commit_id(MAIN_RUNS),
        run_id=str(PULL_REQUEST_RUN),
        attempt=attempt,
        at=at,
        files=_files(executions),
    )


def _files(executions: Sequence[Execution]) -> tuple[UploadedFile, ...]:
    return (UploadedFile("junit.xml", report(executions)),)
