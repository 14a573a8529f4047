"""A case's page: how it did, under which model and prompt, and what it was charged."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from budgets.priors import DEFAULT_PRIOR
from triage.history.comparison import EpochComparison, compare
from triage.models import Case, Epoch, Escalation, Finding, Mute
from triage.policy.owners import owners_of
from triage.policy.stored import policy_in_force
from triage.terms import EscalationState, FindingKind
from triage.verdict.accounts import accounts_of
from triage.verdict.mutes import MuteCap, mute_cap, mutes_of
from triage.verdict.run_policy import RunPolicy
from triage.verdict.standings import account_standings
from triage.web.presenters.advice import Advice, advice
from triage.web.presenters.badges import FINDINGS, Badge
from triage.web.presenters.charts import Chart, Day, chart, days_of
from triage.web.presenters.epoch_rows import EpochRow, epoch_rows, newest_epochs
from triage.web.presenters.gauges import Gauge, gauge
from triage.web.presenters.insight import CaseInsight, case_insight
from triage.web.presenters.label_matrix import LabelMatrix, label_matrix
from triage.web.presenters.ledger_rows import LedgerRow, ledger_rows
from triage.web.presenters.strips import MOST_CELLS, Strip, strip

MOST_ESCALATIONS = 10
FINDINGS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class RecentFinding:
    """A finding of the case with how it is shown."""

    finding: Finding
    badge: Badge


@dataclass(frozen=True, slots=True)
class CasePage:
    """What a case's page shows."""

    case: Case
    newest: EpochRow | None
    budget: Gauge | None
    strip: Strip
    findings: Sequence[RecentFinding]
    charts: Sequence[Chart]
    epochs: Sequence[EpochRow]
    labels: LabelMatrix | None
    ledger: Sequence[LedgerRow]
    escalations: Sequence[Escalation]
    # The mute that holds now, and how many of the repository's cases may have one.
    mute: Mute | None
    mute_cap: MuteCap
    advice: Sequence[Advice]
    comparison: EpochComparison | None
    insight: CaseInsight | None
    owners: Sequence[str]


def case_page(case: Case) -> CasePage:
    """Read a case's page; seventeen queries, however long its history is."""
    epochs = newest_epochs(case)
    rows = epoch_rows(epochs)
    findings = _findings(case)
    labels = label_matrix(case.pk)
    mutes = mutes_of(case.repository_id, timezone.now())
    return CasePage(
        case=case,
        newest=rows[0] if rows else None,
        budget=_budget(case, epochs),
        strip=strip(case, findings),
        findings=[
            RecentFinding(each, FINDINGS[FindingKind(each.kind)])
            for each in findings[:FINDINGS_SHOWN]
        ],
        charts=_charts(days_of(case.pk), epochs),
        epochs=rows,
        labels=labels,
        ledger=ledger_rows(case),
        escalations=_escalations(case),
        mute=next((mute for mute in mutes if mute.case_id == case.pk), None),
        mute_cap=mute_cap(case.repository_id, len(mutes)),
        comparison=compare(epochs[1], epochs[0]) if len(epochs) > 1 else None,
        insight=case_insight(case, epochs[0]) if case.is_llm and epochs else None,
        owners=owners_of(case.repository.codeowners, case),
        advice=advice(case, epochs[0] if epochs else None, has_labels=labels is not None),
    )


def _findings(case: Case) -> list[Finding]:
    """Return the findings that hold, newest first, as many as the strip has cells."""
    current = Finding.objects.filter(case=case, verdict__is_current=True)
    loaded = current.select_related("verdict__run").defer("receipt", "verdict__document")
    return list(loaded.order_by("-at", "-pk")[: 2 * MOST_CELLS])


def _budget(case: Case, epochs: Sequence[Epoch]) -> Gauge | None:
    llm_cases = Case.objects.filter(repository_id=case.repository_id, is_llm=True).count()
    policy = RunPolicy(policy_in_force(case.repository_id))
    accounts = accounts_of([(case, epoch) for epoch in epochs[:1]], policy)
    standings = account_standings(accounts, DEFAULT_PRIOR, llm_cases, timezone.now())
    return gauge(standings[0].as_json()) if standings else None


def _charts(days: Sequence[Day], epochs: Sequence[Epoch]) -> list[Chart]:
    if not days:
        return []
    starts = [(each.number, each.first_seen_at.date()) for each in epochs]
    accepted = epochs[0].accepted_rate if epochs else None
    return [
        chart("Label flips per call", days, [day.label for day in days], starts, None),
        chart("Wording differences per call", days, [d.wording for d in days], starts, accepted),
    ]


def _escalations(case: Case) -> list[Escalation]:
    questions = case.escalations.filter(state=EscalationState.OPEN)
    return list(questions.order_by("due_at", "pk")[:MOST_ESCALATIONS])
