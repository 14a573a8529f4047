"""A run's page: the decision, every failing case, and what the decision rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import QueryDict

from triage.models import Finding, Part, Run, Verdict
from triage.publish.left_out import left_out_of
from triage.terms import Conclusion
from triage.web.presenters.badges import CONCLUSIONS, NOT_JUDGED, PRUNED, Badge
from triage.web.presenters.findings import FindingRow, finding_rows
from triage.web.presenters.gauges import Gauge, stored_gauge
from triage.web.presenters.imports import ImportedUpload, imported_uploads
from triage.web.presenters.pagination import page_of
from triage.web.presenters.run_rows import RunRow, run_rows
from triage.web.presenters.second_pass import SecondPass, second_pass

FINDINGS_PER_PAGE = 50
MOST_ATTEMPTS = 20
OUTCOMES = ("passed", "failed", "errored", "skipped")


@dataclass(frozen=True, slots=True)
class RunPage:
    """What a run's page shows. Without a verdict everything judged is empty."""

    run: Run
    badge: Badge
    headline: str
    verdict: Verdict | None
    document: Mapping[str, Any]
    tests: int
    findings: Page[Finding]
    rows: Sequence[FindingRow]
    budget: Gauge | None
    second_pass: SecondPass | None
    attempts: Sequence[RunRow]
    newest_attempt: int
    parts: Sequence[Part]
    uploads: Sequence[ImportedUpload]
    # What was left out of what a fork reported.
    left_out: Sequence[str]


def run_page(run: Run, parameters: QueryDict) -> RunPage:
    """Read a run's page; eight queries, nine for a fork's, however many findings it has."""
    verdict = Verdict.objects.filter(run=run, is_current=True).first()
    document = verdict.document if verdict else {}
    findings = page_of(_findings(verdict), parameters, FINDINGS_PER_PAGE)
    attempts = _attempts(run)
    without_verdict = PRUNED if run.pruned_at else NOT_JUDGED
    return RunPage(
        run=run,
        badge=CONCLUSIONS[Conclusion(verdict.conclusion)] if verdict else without_verdict,
        headline=(document.get("headline") or {}).get("text", without_verdict.word.capitalize()),
        verdict=verdict,
        document=document,
        tests=sum((document.get("counts") or {}).get(name, 0) for name in OUTCOMES),
        findings=findings,
        rows=finding_rows(list(findings), document.get("findings") or []),
        budget=stored_gauge(document.get("budget")),
        second_pass=None if run.pruned_at else _second_pass(document, attempts[-1]),
        attempts=run_rows(attempts),
        newest_attempt=attempts[-1].pk,
        parts=_parts(run),
        uploads=imported_uploads(run.pk),
        left_out=[] if run.is_trusted else left_out_of(run.repository_id, run.sha),
    )


def _second_pass(document: Mapping[str, Any], newest: Run) -> SecondPass | None:
    return second_pass(document, newest, settings.TIEBREAK_URL)


def _findings(verdict: Verdict | None) -> QuerySet[Finding]:
    # They are stored worst first, so their ids keep that order.
    return (
        Finding.objects.filter(verdict=verdict)
        .select_related("case", "result__text")
        .order_by("pk")
    )


def _attempts(run: Run) -> list[Run]:
    """Return the attempts of the same CI run, this one among them, the newest last."""
    if not run.ci_run_id:
        return [run]
    same = Run.objects.filter(
        repository_id=run.repository_id, sha=run.sha, ci_run_id=run.ci_run_id
    ).select_related("repository")
    return sorted(same.order_by("-attempt")[:MOST_ATTEMPTS], key=lambda each: each.attempt)


def _parts(run: Run) -> list[Part]:
    counts = ("name", "index", "passed", "failed", "errored", "skipped", "llm")
    return list(Part.objects.filter(run=run).only(*counts).order_by("index", "name"))
