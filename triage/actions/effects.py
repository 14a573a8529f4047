"""What each button does to what is stored. None of them settles a flip in favour of passing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.conf import settings

from triage.models import Escalation, RequestedAction, Verdict
from triage.policy.stored import policy_in_force
from triage.terms import Button, DecisionKind, EscalationState, FindingKind
from triage.verdict.escalations.deciding import Answer, decide, waiting_runs
from triage.verdict.escalations.opening import ask_person
from triage.verdict.questions import Question, attempts_of, questions_of
from triage.verdict.run_policy import RunPolicy

ON_FORGE = "on GitHub"


class RefusedActionError(Exception):
    """What was asked for is not done; the message says why, to whoever asked."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What was done, for people, and which runs it makes another of."""

    answer: str
    detail: dict[str, Any] = field(default_factory=dict)
    judged_again: tuple[int, ...] = ()


def escalate(action: RequestedAction, verdict: Verdict) -> Effect:
    """Ask the owner of every class that is a near tie in this run."""
    asked = _ask(verdict, FindingKind.NEAR_TIE)
    owners = sorted({each.owner or "nobody by name" for _, each in asked})
    answer = f"{_count(len(asked), 'question')} asked of {', '.join(owners)}; the run is held."
    return Effect(answer, {"questions": [_told(*each) for each in asked]})


def mark_regression(action: RequestedAction, verdict: Verdict) -> Effect:
    """Uphold every near tie of this run: it is a regression, and blocks."""
    asked = _ask(verdict, FindingKind.NEAR_TIE)
    who = f"{action.asked_by} {ON_FORGE}"
    for _, escalation in asked:
        decide(escalation, Answer(DecisionKind.UPHOLD, "Marked as a regression on the check."), who)
    waiting = [run for _, escalation in asked for run in waiting_runs(escalation)]
    again = tuple(dict.fromkeys([verdict.run_id, *waiting]))
    answer = f"{_count(len(asked), 'near tie')} upheld: a regression, which blocks."
    return Effect(answer, {"questions": [_told(*each) for each in asked]}, again)


def accept_label(action: RequestedAction, verdict: Verdict) -> Effect:
    """Open the decision on every label that moved, with its diff; nothing is decided here."""
    asked = _ask(verdict, FindingKind.LABEL_REGRESSION)
    answer = "nothing is accepted yet: whether the new label is right is decided with its reason."
    return Effect(answer, {"questions": [_told_with_diff(*each) for each in asked]})


def allow_once(action: RequestedAction, verdict: Verdict) -> Effect:
    """Let the cases over budget pass in this CI run, and charge them as ever."""
    over = [
        each["case_id"]
        for each in verdict.document["findings"]
        if each["finding"] == FindingKind.OVER_BUDGET and not each["allowed"]
    ]
    answer = (
        f"{_count(len(over), 'case')} over budget may pass in this CI run and stays charged; the "
        "next run is judged as ever."
    )
    return Effect(answer, {"cases": sorted(set(over))}, (verdict.run_id,))


EFFECTS: dict[Button, Callable[[RequestedAction, Verdict], Effect]] = {
    Button.ESCALATE: escalate,
    Button.REGRESSION: mark_regression,
    Button.ACCEPT_LABEL: accept_label,
    Button.ALLOW_ONCE: allow_once,
}


def _ask(verdict: Verdict, kind: FindingKind) -> Sequence[tuple[Question, Escalation]]:
    """Ask a person about the class of every flip of this kind; refuse where there is none."""
    wanted = {each["result_id"] for each in verdict.document["findings"] if each["finding"] == kind}
    policy = RunPolicy(policy_in_force(verdict.repository_id))
    asked = []
    for question in questions_of(attempts_of(verdict.run)):
        if question.result.pk in wanted and question.flips:
            escalation = ask_person(question, policy.tie_break(question), policy)
            if escalation:
                asked.append((question, _reopened(escalation)))
    if not asked:
        raise RefusedActionError(
            "there is no class of labels to decide about: these tests record none under a model "
            "and a prompt that are known"
        )
    return asked


def _reopened(escalation: Escalation) -> Escalation:
    """Open a question again that nobody answered in time."""
    if escalation.state == EscalationState.EXPIRED:
        escalation.state = EscalationState.OPEN
        escalation.save(update_fields=["state"])
    return escalation


def _told(question: Question, escalation: Escalation) -> dict[str, str]:
    url = f"{settings.TIEBREAK_URL}/escalations/{escalation.pk}/"
    return {"case": question.result.case.title, "url": url}


def _told_with_diff(question: Question, escalation: Escalation) -> dict[str, str]:
    flip = question.flips[0]
    told = _told(question, escalation)
    filled_in = {"kind": DecisionKind.ACCEPT_LABEL.value, "label": flip.observed or ""}
    return told | {
        "url": f"{told['url']}?{urlencode(filled_in)}#decide",
        "expected": flip.expected or "",
        "observed": flip.observed or "",
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
