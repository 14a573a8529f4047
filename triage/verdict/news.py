"""Tell a repository's channels of a verdict that somebody should look at."""

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from triage.models import Run, Verdict
from triage.notifications.outbox import emit
from triage.terms import Conclusion, FindingKind, NotificationEvent
from triage.verdict.document import Summary
from triage.verdict.judgements import Judgement
from triage.verdict.sentences import reason

# A replayed history is no news.
OLDEST_NEWS = timedelta(days=1)
EVENTS = {
    Conclusion.BLOCKED: NotificationEvent.RUN_BLOCKED,
    Conclusion.ON_HOLD: NotificationEvent.RUN_ON_HOLD,
}


def tell(verdict: Verdict, summary: Summary, judgements: Sequence[Judgement]) -> None:
    """Emit what a verdict means for people; judging again tells nothing twice."""
    if verdict.run.at < timezone.now() - OLDEST_NEWS:
        return
    _tell_conclusion(verdict)
    _tell_spent_budgets(verdict, summary, judgements)


def _tell_conclusion(verdict: Verdict) -> None:
    event = EVENTS.get(Conclusion(verdict.conclusion))
    if event is None:
        return
    document = verdict.document
    payload = {
        "headline": document["headline"]["text"],
        "details": [f"{each['case']}: {each['reason']}" for each in document["findings"]],
        **_run_facts(verdict.run, document["url"]),
    }
    emit(verdict.repository_id, event, payload, key=f"{event}:{verdict.run_id}")


def _tell_spent_budgets(
    verdict: Verdict, summary: Summary, judgements: Sequence[Judgement]
) -> None:
    """Tell which budgets are spent: once a day, and again when they are others."""
    over = [each for each in judgements if each.kind is FindingKind.OVER_BUDGET]
    spent = {f"case:{each.question.result.case_id}" for each in over}
    details = [f"{each.question.result.case.title}: {reason(each)}" for each in over]
    whole = summary.repository_budget
    if whole.is_used_up:
        spent.add("repository")
        details.append(f"The repository: {whole.spent} of {whole.limit} used.")
    if not spent:
        return
    names = hashlib.sha256(",".join(sorted(spent)).encode()).hexdigest()
    payload = {
        "headline": f"{len(spent)} flake budget{'s' if len(spent) != 1 else ''} spent; label "
        "flips are not in it",
        "details": details,
        **_run_facts(verdict.run, verdict.document["url"]),
    }
    day = timezone.now().date().isoformat()
    event = NotificationEvent.BUDGET_SPENT
    emit(verdict.repository_id, event, payload, key=f"{event}:{day}:{names}")


def _run_facts(run: Run, url: str) -> dict[str, Any]:
    return {
        "url": url,
        "run": run.pk,
        "commit": run.sha,
        "branch": run.branch,
        "pull_request": run.pr,
        "is_reference": run.is_reference,
    }
