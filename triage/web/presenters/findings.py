"""Findings as rows of the run's table, worst first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from triage.models import Finding
from triage.terms import Difference, FindingKind
from triage.verdict.rules import CHARGEABLE
from triage.web.presenters.badges import FINDINGS, Badge
from triage.web.presenters.evidence import Evidence, calls_by_result, evidence, result_ids
from triage.web.presenters.gauges import Gauge, stored_gauge
from triage.web.presenters.rates import Rate, rate_from

# Why a finding has no gauge, where that has a reason of principle.
NEVER_CHARGED = {
    Difference.LABEL: "never charged: a label flip is no flake",
    Difference.CRASH: "never charged: a crash is no flake",
    Difference.PROVIDER: "not charged: nothing was tested",
}


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One failing case of a run."""

    finding: Finding
    badge: Badge
    part: str
    # Who owns the test's file, by CODEOWNERS when it was judged.
    owners: Sequence[str]
    is_flip: bool
    labels_agree: bool
    confidence: float | None
    margin: float | None
    rate: Rate
    # What the rate counts: it is of the same manner of difference as the finding.
    counted: str
    budget: Gauge | None
    budget_note: str
    next_step: str
    # Where else the failure was seen, in one sentence; empty where nowhere.
    elsewhere: str
    evidence: Evidence


def finding_rows(
    findings: Sequence[Finding], documents: Sequence[Mapping[str, Any]]
) -> list[FindingRow]:
    """Return the rows of findings; ``documents`` are the findings of the verdict document."""
    calls = calls_by_result(pk for each in findings for pk in result_ids(each))
    told = {each["result_id"]: each for each in documents}
    return [_row(each, told.get(each.result_id, {}), evidence(each, calls)) for each in findings]


def _row(finding: Finding, told: Mapping[str, Any], shown: Evidence) -> FindingRow:
    receipt = finding.receipt
    difference = Difference(finding.difference)
    return FindingRow(
        finding=finding,
        badge=FINDINGS[FindingKind(finding.kind)],
        part=told.get("part") or "",
        owners=told.get("owners") or (),
        is_flip=difference is Difference.LABEL,
        labels_agree=finding.expected is not None and finding.expected == finding.observed,
        confidence=told.get("confidence"),
        margin=told.get("margin"),
        rate=rate_from(receipt["rate"]),
        counted=_counted(difference, is_llm=finding.case.is_llm),
        budget=stored_gauge(receipt.get("budget")) if difference in CHARGEABLE else None,
        budget_note=NEVER_CHARGED.get(difference, "no budget yet"),
        next_step=receipt.get("next_step") or told.get("next_step") or "",
        elsewhere=(told.get("elsewhere") or {}).get("sentence", ""),
        evidence=shown,
    )


def _counted(difference: Difference, *, is_llm: bool) -> str:
    if difference is Difference.LABEL:
        return "label flips"
    if is_llm and difference in CHARGEABLE:
        return "wording differences"
    return "failures"
