"""A refund suite whose runs are written as pytest writes them, and taken through the real door."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from triage import pipeline
from triage.models import Run, Upload, Verdict
from triage.parse.archives import UploadedFile
from triage.upload.acceptance import accept
from triage.upload.submission import Submission

REPO = "acme/support-bot"
START = datetime(2026, 10, 1, 9, tzinfo=UTC)
LABELS = "fraud,billing,shipping"
SNAPSHOT = "acme-llm-2026-09-01"

WORDING = "E       AssertionError: assert 'I refunded it now' == 'I have refunded it'"
FLIP = "E       AssertionError: assert 'billing' == 'fraud'"
CRASH = "E       KeyError: 'label'"
RATE_LIMIT = "E       openai.RateLimitError: Error code: 429 - rate limit reached"


@dataclass(frozen=True)
class CaseRun:
    """One case of one run: the label it told and how it failed, if it did."""

    name: str
    failure: str = ""
    label: str | None = "fraud"
    properties: dict[str, str] = field(default_factory=dict)
    # Where it stands in its file; a report that tells no place has no annotations.
    line: int | None = None

    def xml(self) -> str:
        """Return the <testcase> element."""
        told = {"gen_ai.response.model": SNAPSHOT} if self.label else {}
        if self.label:
            told |= {"tiebreak.expected_label": "fraud", "tiebreak.label": self.label}
            told |= {"tiebreak.labels": LABELS}
        told |= self.properties
        inner = "".join(
            f"<property name={quoteattr(k)} value={quoteattr(v)}/>" for k, v in told.items()
        )
        failure = f"<failure>{escape(self.failure)}</failure>" if self.failure else ""
        place = f" file='tests/evals/test_refunds.py' line='{self.line}'" if self.line else ""
        return (
            f"<testcase classname='tests.evals.test_refunds' name={quoteattr(self.name)}{place}>"
            f"<properties>{inner}</properties>{failure}</testcase>"
        )


def report(cases: list[CaseRun]) -> bytes:
    """Return the report of one part."""
    body = "".join(case.xml() for case in cases)
    return (
        "<testsuites name='pytest tests'><testsuite name='pytest' "
        f"tests='{len(cases)}'>{body}</testsuite></testsuites>"
    ).encode()


def suite(size: int, *changed: CaseRun) -> list[CaseRun]:
    """Return a suite that passes, but for the changed cases."""
    by_name = {case.name: case for case in changed}
    names = [f"test_ticket[{number}]" for number in range(size)]
    return [by_name.get(name) or CaseRun(name) for name in names]


def sha(number: int) -> str:
    """Return a commit id."""
    return f"{number:040x}"


def take(cases: list[CaseRun], number: int, **told: Any) -> dict[str, Any]:
    """Take a run through acceptance and the pipeline; return its verdict."""
    return judged(upload(cases, number, **told).run)


def upload(cases: list[CaseRun], number: int, **told: Any) -> Upload:
    """Take a run through acceptance and the pipeline; return its upload."""
    told = {"repo": REPO, "sha": sha(number), "at": START + timedelta(hours=number)} | told
    files = (UploadedFile("junit.xml", report(cases)),)
    accepted = accept(Submission(files=files, **told))
    pipeline.process(accepted.upload.pk)
    return accepted.upload


def judged(run: Run) -> dict[str, Any]:
    """Return the verdict that holds for a run."""
    document: dict[str, Any] = Verdict.objects.get(run=run, is_current=True).document
    return document


def history(size: int, runs: int = 12) -> None:
    """Take clean runs of the default branch, numbered from 1."""
    for number in range(1, runs + 1):
        take(suite(size), number)


def only(document: dict[str, Any]) -> dict[str, Any]:
    """Return the only finding of a verdict."""
    (finding,) = document["findings"]
    return dict(finding)
