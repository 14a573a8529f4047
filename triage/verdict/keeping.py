"""Keep a verdict with its findings as the next revision of its run."""

from collections.abc import Sequence

from triage.models import Finding, Run, Verdict
from triage.models.bulk import insert_rows
from triage.verdict.document import Summary, receipt, verdict_document
from triage.verdict.judgements import Judgement
from triage.verdict.rules import RULES_VERSION
from triage.verdict.sentences import reason


def keep_verdict(run: Run, summary: Summary, judgements: Sequence[Judgement]) -> Verdict:
    """Store a verdict, unless the current one says the same; return the one that holds."""
    document = verdict_document(run, summary, judgements)
    current = Verdict.objects.filter(run=run, is_current=True).first()
    if current and current.document == document and current.rules == RULES_VERSION:
        return current
    if current:
        Verdict.objects.filter(pk=current.pk).update(is_current=False)
    verdict = Verdict.objects.create(
        repository_id=run.repository_id,
        run=run,
        revision=current.revision + 1 if current else 1,
        conclusion=summary.conclusion,
        rules=RULES_VERSION,
        document=document,
    )
    insert_rows([_finding(verdict, each) for each in judgements])
    return verdict


def _finding(verdict: Verdict, each: Judgement) -> Finding:
    result = each.question.result
    return Finding(
        repository_id=verdict.repository_id,
        verdict=verdict,
        case_id=result.case_id,
        result=result,
        kind=each.kind,
        difference=each.question.difference,
        expected=each.expected,
        observed=each.observed,
        reason=reason(each),
        receipt=receipt(each),
        at=verdict.run.at,
    )
