"""Which cases over budget a person let pass, for one CI run only."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from triage.models import RequestedAction
from triage.terms import ActionState, Button, FindingKind
from triage.verdict.judgements import Allowed, Judgement
from triage.verdict.questions import CiRun


def allowed_once(ci_run: CiRun) -> dict[int, Allowed]:
    """Return who let which case of a CI run pass, by case id."""
    done = RequestedAction.objects.filter(
        run__in=ci_run.attempts, kind=Button.ALLOW_ONCE, state=ActionState.DONE
    ).order_by("pk")
    return {
        case_id: Allowed(action.asked_by, action.acted_at or action.requested_at)
        for action in done
        for case_id in action.detail.get("cases", ())
    }


def let_pass(judgements: Sequence[Judgement], allowed: Mapping[int, Allowed]) -> list[Judgement]:
    """Return the judgements with what a person let pass: cases over budget, and nothing else.

    Such a case stays over budget and is charged as ever; it does not block this once. A flip is
    never over budget, so nobody can let one pass.
    """
    return [
        replace(each, allowed=allowed.get(each.question.result.case_id))
        if each.kind is FindingKind.OVER_BUDGET
        else each
        for each in judgements
    ]
