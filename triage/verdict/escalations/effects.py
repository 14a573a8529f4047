"""What a person's decision makes of a flip, once it is in effect."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from triage.models import Decision, Escalation
from triage.terms import DecisionKind, Difference
from triage.verdict.questions import Question
from triage.verdict.rules import Ground
from triage.verdict.weighing import Weight

# Case, epoch, and the two labels in alphabetical order.
ClassKey = tuple[int, int, str, str]


def decisions_in_effect(questions: Sequence[Question]) -> dict[ClassKey, Decision]:
    """Return the newest decision per ambiguous class of the questions; two queries at most."""
    keys = {key for question in questions if (key := class_of(question))}
    if not keys:
        return {}
    escalations = Escalation.objects.filter(case_id__in=[key[0] for key in keys])
    by_id = {
        each.pk: (each.case_id, each.epoch_id, each.first_label, each.second_label)
        for each in escalations
    }
    decided = Decision.objects.filter(escalation_id__in=by_id).order_by("at", "pk")
    return {
        by_id[each.escalation_id]: each for each in decided if by_id[each.escalation_id] in keys
    }


def class_of(question: Question) -> ClassKey | None:
    """Return the ambiguous class of a flip, if the question is one."""
    if question.difference is not Difference.LABEL or question.result.epoch_id is None:
        return None
    flip = question.flips[0]
    first, second = sorted([flip.expected or "", flip.observed or ""])
    return question.result.case_id, question.result.epoch_id, first, second


def apply_decisions(
    questions: Sequence[Question],
    weights: Sequence[Weight],
    decisions: Mapping[ClassKey, Decision],
) -> list[Weight]:
    """Return the weights with what people decided; it outranks repeats and tie-breaks."""
    applied = []
    for question, weight in zip(questions, weights, strict=True):
        key = class_of(question)
        decision = decisions.get(key) if key else None
        applied.append(
            EFFECTS[DecisionKind(decision.kind)](question, weight, decision) if decision else weight
        )
    return applied


def _uphold(question: Question, weight: Weight, decision: Decision) -> Weight:
    return _decided(weight, Ground.MOVED, f"{_by(decision)}: it is a regression")


def _accept(question: Question, weight: Weight, decision: Decision) -> Weight:
    """Settle flips to the accepted label only; any other one is a flip as ever."""
    if any(flip.observed != decision.label for flip in question.flips):
        return weight
    case = question.result.case
    where = case.file or case.classname or case.title
    return _decided(
        weight,
        Ground.CLEARED,
        f"{_by(decision)}: “{decision.label}” is right now; change the expected label in {where}",
    )


def _register(question: Question, weight: Weight, decision: Decision) -> Weight:
    return _decided(
        weight, Ground.OPEN, f"{_by(decision)}: it is ambiguous; its tie-break is not committed yet"
    )


def _defer(question: Question, weight: Weight, decision: Decision) -> Weight:
    until = f"{decision.until:%Y-%m-%d %H:%M} UTC" if decision.until else "later"
    return _decided(weight, Ground.OPEN, f"{_by(decision)}: it rests until {until}")


EFFECTS: dict[DecisionKind, Callable[[Question, Weight, Decision], Weight]] = {
    DecisionKind.UPHOLD: _uphold,
    DecisionKind.ACCEPT_LABEL: _accept,
    DecisionKind.REGISTER_TIE_BREAK: _register,
    DecisionKind.DEFER: _defer,
}


def _decided(weight: Weight, ground: Ground, ruling: str) -> Weight:
    return replace(weight, ground=ground, repeats_wanted=0, ruling=ruling)


def _by(decision: Decision) -> str:
    return f"{decision.who} decided on {decision.at:%Y-%m-%d}"
