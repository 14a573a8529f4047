"""Decide an escalation: checked, kept with its evidence, and never taken back but by a new one."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from triage.errors import InvalidRequestError
from triage.models import Decision, EpochLabel, Escalation, Finding, Repository, Run
from triage.models.decisions import WHY_LENGTH
from triage.policy.proposals import propose_tie_break
from triage.policy.stored import policy_in_force
from triage.terms import Conclusion, DecisionKind, Difference, EscalationState, NotificationEvent
from triage.verdict.escalations.opening import tell

LONGEST_DEFERRAL = timedelta(days=30)
MOST_WAITING = 50
REFUSED = "a label flip is never a flake: decide uphold, accept_label, register_tie_break or defer"


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody answers to an escalation."""

    kind: str
    why: str
    label: str = ""
    until: datetime | None = None


def decide(escalation: Escalation, answer: Answer, who: str) -> Decision:
    """Keep a decision; raise ``InvalidRequestError`` saying what is not legal."""
    kind = _checked(escalation, answer)
    with transaction.atomic():
        Repository.objects.select_for_update().get(pk=escalation.repository_id)
        decision = Decision.objects.create(
            repository_id=escalation.repository_id,
            escalation=escalation,
            kind=kind,
            label=answer.label if kind is DecisionKind.ACCEPT_LABEL else "",
            until=answer.until if kind is DecisionKind.DEFER else None,
            who=who,
            why=answer.why.strip(),
            evidence=_evidence(escalation, kind),
        )
        _move(escalation, decision)
        event = NotificationEvent.ESCALATION_DECIDED
        tell(escalation, event, f"was decided by {who}: {kind}", str(decision.pk))
    return decision


def waiting_runs(escalation: Escalation) -> list[int]:
    """Return the runs that this class holds or blocks, the last attempt of each, newest first."""
    pair = [escalation.first_label, escalation.second_label]
    later = Run.objects.filter(
        repository_id=escalation.repository_id,
        sha=OuterRef("verdict__run__sha"),
        ci_run_id=OuterRef("verdict__run__ci_run_id"),
        attempt__gt=OuterRef("verdict__run__attempt"),
    )
    findings = Finding.objects.filter(
        ~Exists(later),
        case_id=escalation.case_id,
        verdict__is_current=True,
        verdict__conclusion__in=[Conclusion.ON_HOLD, Conclusion.BLOCKED],
        difference=Difference.LABEL,
        expected__in=pair,
        observed__in=pair,
        result__epoch_id=escalation.epoch_id,
    )
    runs = findings.order_by("-at", "-pk").values_list("verdict__run_id", flat=True)
    return list(dict.fromkeys(runs))[:MOST_WAITING]


def _checked(escalation: Escalation, answer: Answer) -> DecisionKind:
    if answer.kind not in list(DecisionKind):
        raise InvalidRequestError(f"{REFUSED}; got {answer.kind[:80]!r}")
    if not 0 < len(answer.why.strip()) <= WHY_LENGTH:
        raise InvalidRequestError(f"why must say in 1 to {WHY_LENGTH} characters what decided it")
    kind = DecisionKind(answer.kind)
    if kind is DecisionKind.ACCEPT_LABEL:
        _check_label(escalation, answer.label)
    if kind is DecisionKind.DEFER:
        _check_until(answer.until)
    return kind


def _check_label(escalation: Escalation, label: str) -> None:
    pair = (escalation.first_label, escalation.second_label)
    if label not in pair:
        raise InvalidRequestError(
            f"label must be one of the two in question, {pair[0]!r} or {pair[1]!r}, got {label!r}"
        )


def _check_until(until: datetime | None) -> None:
    now = timezone.now()
    if until is None or not now < until <= now + LONGEST_DEFERRAL:
        raise InvalidRequestError(
            f"until must be a time within the next {LONGEST_DEFERRAL.days} days, got {until}"
        )


def _move(escalation: Escalation, decision: Decision) -> None:
    """Take the question to its next state; a deferred one stays open and is asked again."""
    if decision.kind == DecisionKind.DEFER:
        escalation.state, escalation.due_at = EscalationState.OPEN, decision.until
        escalation.reminders = 0
    else:
        escalation.state = EscalationState.DECIDED
    escalation.save(update_fields=["state", "due_at", "reminders"])


def _evidence(escalation: Escalation, kind: DecisionKind) -> dict[str, Any]:
    counts = EpochLabel.objects.filter(epoch_id=escalation.epoch_id, calls__gt=0)
    evidence: dict[str, Any] = {
        "labels": [list(row) for row in counts.values_list("expected", "observed", "calls")],
        "runs": waiting_runs(escalation),
    }
    if kind is DecisionKind.REGISTER_TIE_BREAK:
        evidence["policy_diff"] = _proposal(escalation)
    return evidence


def _proposal(escalation: Escalation) -> str:
    """Return the diff of the policy that registers the tie-break."""
    case = escalation.case
    pattern = f"{case.file}::*" if case.file else case.title
    pair = (escalation.first_label, escalation.second_label)
    return propose_tie_break(policy_in_force(escalation.repository_id).text, pattern, pair)
