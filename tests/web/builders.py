"""Rows as the pipeline leaves them, for tests of the pages."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from triage.models import (
    Case,
    Epoch,
    EpochDay,
    EpochLabel,
    Escalation,
    FailureText,
    Finding,
    Observation,
    Part,
    Repository,
    Result,
    Run,
    Upload,
    Verdict,
)
from triage.models.vectors import Code, pack
from triage.terms import Conclusion, Difference, FindingKind, Outcome, UploadState

REPO = "acme/support-bot"
SHA = "4f2c9ab0" + "0" * 32
AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
TWELVE_OF_500 = {"divergent": 12, "calls": 500, "low": 0.0138, "high": 0.0414}
BUDGET = {
    "scope": "case",
    "spent": 2,
    "allowance": 5,
    "limit": 7,
    "standing": "within",
    "calls": 500,
    "rate_per_call": 0.024,
}


@dataclass(frozen=True)
class Failure:
    """One failing case of a run, as its finding shows it."""

    case: Case
    kind: FindingKind = FindingKind.EXPECTED_FLAKE
    difference: Difference = Difference.TEXT
    expected: str | None = "fraud"
    observed: str | None = "fraud"
    text: str = "AssertionError: assert 'refunded' == 'sent back'"
    reason: str = "Wording differs, the label “fraud” agrees; 2 of 7 used."
    receipt: dict[str, Any] = field(default_factory=dict)


def flip(case: Case, kind: FindingKind = FindingKind.LABEL_REGRESSION) -> Failure:
    """Return a failure whose label flipped from fraud to billing."""
    return Failure(
        case,
        kind,
        Difference.LABEL,
        observed="billing",
        reason="“fraud” became “billing” in 4 of 4 calls; before, no flip in 500 calls.",
    )


def make_repository(full_name: str = REPO) -> Repository:
    """Make a repository without runs."""
    return Repository.objects.create(full_name=full_name)


def make_case(repository: Repository, title: str = "tests/test_refunds.py::test_a") -> Case:
    """Make an LLM case in the next free slot."""
    slot = repository.next_slot
    repository.next_slot += 1
    repository.save()
    return Case.objects.create(
        repository=repository,
        key=f"{slot:064x}",
        slot=slot,
        name=title,
        title=title,
        is_llm=True,
        first_seen_at=AT,
        last_seen_at=AT,
    )


def make_run(repository: Repository, at: datetime = AT, **fields: Any) -> Run:
    """Make a run of the main branch without parts or verdict."""
    fields = {"sha": SHA, "branch": "main", "ci_run_id": str(Run.objects.count() + 1)} | fields
    return Run.objects.create(repository=repository, at=at, **fields)


def make_part(run: Run, codes: dict[Case, Code], **fields: Any) -> Part:
    """Make a part that holds these cases; every other slot is absent."""
    vector = np.zeros(run.repository.next_slot, dtype=np.uint8)
    for case, code in codes.items():
        vector[case.slot] = code
    return Part.objects.create(repository=run.repository, run=run, outcomes=pack(vector), **fields)


def make_upload(part: Part, **fields: Any) -> Upload:
    """Make an upload whose work is done."""
    told = {"state": UploadState.JUDGED, "content_sha256": f"{Upload.objects.count():064x}"}
    run = part.run
    return Upload.objects.create(repository=run.repository, run=run, part=part, **told | fields)


def make_epoch(case: Case, number: int = 1, at: datetime = AT, **counts: Any) -> Epoch:
    """Make an epoch of a pinned snapshot with one day of calls."""
    fields = {"model_snapshot": f"acme-llm-{number}", "calls": 500, "text": 12} | counts
    tallied = {name: fields[name] for name in ("calls", "text", "label") if name in fields}
    epoch = Epoch.objects.create(
        repository=case.repository,
        case=case,
        number=number,
        first_seen_at=at,
        last_seen_at=at,
        **fields,
    )
    EpochDay.objects.create(repository=case.repository, epoch=epoch, day=at.date(), **tallied)
    return epoch


def make_labels(epoch: Epoch, counts: dict[tuple[str, str], int]) -> None:
    """Count observed labels per expected label in an epoch."""
    EpochLabel.objects.bulk_create(
        EpochLabel(
            repository=epoch.repository,
            epoch=epoch,
            expected=expected,
            observed=observed,
            calls=calls,
        )
        for (expected, observed), calls in counts.items()
    )


def make_escalation(case: Case, epoch: Epoch, **fields: Any) -> Escalation:
    """Make an open question whether it is billing or fraud."""
    told = {"opened_at": AT, "due_at": AT + timedelta(hours=4), "owner": "@acme/fraud-ops"}
    return Escalation.objects.create(
        repository=case.repository,
        case=case,
        epoch=epoch,
        first_label="billing",
        second_label="fraud",
        **told | fields,
    )


def make_judged_run(
    repository: Repository,
    failures: Sequence[Failure] = (),
    conclusion: Conclusion = Conclusion.PASSED,
    headline: str = "Safe to merge: 12 tests, no failure",
    document: dict[str, Any] | None = None,
    **fields: Any,
) -> Run:
    """Make a run with a part, its failing results and the verdict on them."""
    run = make_run(repository, **fields)
    codes = {each.case: Code.FAILED for each in failures}
    part = make_part(run, codes, passed=10, failed=len(failures), llm=10)
    results = [_result(run, part, each) for each in failures]
    verdict = Verdict.objects.create(
        repository=repository,
        run=run,
        revision=1,
        rules=1,
        conclusion=conclusion,
        document=_document(run, conclusion, headline, failures, results) | (document or {}),
        judged_at=run.at,
    )
    Finding.objects.bulk_create(
        _finding(verdict, each, result) for each, result in zip(failures, results, strict=True)
    )
    return run


def _result(run: Run, part: Part, failure: Failure) -> Result:
    text, _ = FailureText.objects.get_or_create(
        repository=run.repository,
        sha256=hashlib.sha256(failure.text.encode()).hexdigest(),
        defaults={"text": failure.text, "length": len(failure.text)},
    )
    result = Result.objects.create(
        repository=run.repository,
        run=run,
        part=part,
        case=failure.case,
        outcome=Outcome.FAILED,
        difference=failure.difference,
        text=text,
        at=run.at,
    )
    Observation.objects.create(
        repository=run.repository,
        result=result,
        try_index=0,
        call_index=0,
        expected=failure.expected,
        observed=failure.observed,
        confidence=0.91,
    )
    return result


def _finding(verdict: Verdict, failure: Failure, result: Result) -> Finding:
    is_flip = failure.difference is Difference.LABEL
    receipt = {
        "rate": TWELVE_OF_500,
        "history": {"calls": 500, "text": 12, "labels": [["fraud", "fraud", 500]]},
        "prior": {"a": 0.1, "b": 1.9},
        "log_e": 13.6 if is_flip else None,
        "probability_regression": 0.99994 if is_flip else None,
        "budget": None if is_flip else BUDGET,
        "tie_break": "block" if is_flip else None,
        "second_pass": {"needed": 3, "done": 3, "agree": 0} if is_flip else None,
        "thresholds": {"alpha": 0.05},
        "rules": 1,
        "results": [result.pk],
        "next_step": "Find what moved the label." if is_flip else "Nothing to do.",
    }
    return Finding(
        repository=verdict.repository,
        verdict=verdict,
        case=failure.case,
        result=result,
        kind=failure.kind,
        difference=failure.difference,
        expected=failure.expected,
        observed=failure.observed,
        reason=failure.reason,
        receipt=receipt | failure.receipt,
        at=verdict.run.at,
    )


def _document(
    run: Run,
    conclusion: Conclusion,
    headline: str,
    failures: Sequence[Failure],
    results: Sequence[Result],
) -> dict[str, Any]:
    findings = [
        {"case": each.case.title, "result_id": result.pk, "part": "", "confidence": 0.91}
        for each, result in zip(failures, results, strict=True)
    ]
    return {
        "conclusion": conclusion,
        "headline": {"icon": "", "text": headline, "tone": ""},
        "parts": {"got": 1, "expected": 1},
        "counts": {"passed": 10, "failed": len(failures), "errored": 0, "skipped": 0, "llm": 10},
        "findings": findings,
        "suite": {"expected_failures": 1.5, "observed_failures": len(failures), "p_value": 0.44},
        "budget": BUDGET | {"scope": "repository"},
        "second_pass": {"cases": [], "repeats": 0},
        "warnings": [],
    }
