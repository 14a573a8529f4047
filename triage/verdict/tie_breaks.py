"""What a registered tie-break makes of a flip: a threshold, a second pass of its own, a person.

A tie-break may block a flip or hold it. It settles one only on evidence: repeats that showed the
expected label, or a label history that explains the flip. Evidence that the label moved is never
overruled.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from budgets.second_pass import MIN_HISTORY_CALLS
from triage.policy.tie_breaks import Block, Escalate, SecondPass, Threshold
from triage.terms import Difference, TieBreakPolicy
from triage.verdict.questions import Question
from triage.verdict.rules import Ground
from triage.verdict.weighing import Weight

Registered = Threshold | SecondPass | Escalate | Block
BLOCK = Block(policy="block")


@dataclass(frozen=True, slots=True)
class TieBreak:
    """The tie-break of one flip. Without a registered one a flip blocks unless it is settled."""

    registered: Registered = BLOCK
    # The critical label that the flip touches; empty when it touches none.
    critical: str = ""
    # Which rule says so, for people; empty without one.
    source: str = ""

    @property
    def policy(self) -> TieBreakPolicy:
        """The kind of tie-break."""
        return TieBreakPolicy(self.registered.policy)


DEFAULT_TIE_BREAK = TieBreak()


def rule_on_flips(
    questions: Sequence[Question], weights: Sequence[Weight], tie_breaks: Sequence[TieBreak]
) -> list[Weight]:
    """Return the weights with what the tie-breaks say of the flips among the questions."""
    return [
        rule_on(question, weight, tie_break) if question.difference is Difference.LABEL else weight
        for question, weight, tie_break in zip(questions, weights, tie_breaks, strict=True)
    ]


def rule_on(question: Question, weight: Weight, tie_break: TieBreak) -> Weight:
    """Return the weight of a flip with what its tie-break says of it."""
    if tie_break.critical:
        return _moved(
            weight, f"“{tie_break.critical}” is a critical label: any flip that touches it blocks"
        )
    if weight.ground is Ground.MOVED:
        return weight
    return RULINGS[tie_break.policy](question, weight, tie_break.registered)


def _block(question: Question, weight: Weight, tie_break: Block) -> Weight:
    return weight


def _threshold(question: Question, weight: Weight, tie_break: Threshold) -> Weight:
    """Route a flip as the application does, which acts on no label under its threshold."""
    told = [flip.confidence for flip in question.flips if flip.confidence is not None]
    limit = f"{tie_break.confidence:.2f}"
    if len(told) < len(question.flips):
        missing = (
            f"the policy asks for a confidence under {limit} and the test records none: add "
            "record_property(“tiebreak.confidence”, …)"
        )
        return replace(weight, ruling=missing)
    highest = max(told)
    if highest >= tie_break.confidence:
        acted_on = f"its confidence {highest:.2f} is not under the threshold {limit}"
        return _moved(weight, f"{acted_on}, so the application would act on it")
    ruling = (
        f"its confidence {highest:.2f} is under the threshold {limit}, so the application routes "
        "it to a person"
    )
    if _is_explained(question, weight):
        return replace(weight, ground=Ground.CLEARED, repeats_wanted=0, ruling=ruling)
    return replace(weight, ruling=ruling)


def _second_pass(question: Question, weight: Weight, tie_break: SecondPass) -> Weight:
    """Count the first repeats, as many as were registered; later ones cannot mend them."""
    if tie_break.passes is None:
        return weight
    needed = tie_break.agree or tie_break.passes // 2 + 1
    repeats = question.answered[1 : 1 + tie_break.passes]
    agreeing = sum(call.difference is None for call in repeats)
    missing = tie_break.passes - len(repeats)
    sentence = (
        f"{agreeing} of {len(repeats)} repeats gave the expected label, {needed} of "
        f"{tie_break.passes} are needed"
    )
    if agreeing >= needed:
        return replace(weight, ground=Ground.CLEARED, repeats_wanted=0, ruling=sentence)
    if agreeing + missing < needed:
        return _moved(weight, sentence)
    return replace(weight, ground=Ground.REPEAT, repeats_wanted=missing, ruling=sentence)


def _escalate(question: Question, weight: Weight, tie_break: Escalate) -> Weight:
    """Leave it to a person at once: no number of repeats answers for them."""
    asked = f"{tie_break.to} decides" if tie_break.to else "a person decides"
    return replace(weight, ground=Ground.OPEN, repeats_wanted=0, ruling=asked)


RULINGS: dict[TieBreakPolicy, Callable[..., Weight]] = {
    TieBreakPolicy.BLOCK: _block,
    TieBreakPolicy.THRESHOLD: _threshold,
    TieBreakPolicy.SECOND_PASS: _second_pass,
    TieBreakPolicy.ESCALATE: _escalate,
}


def _moved(weight: Weight, ruling: str) -> Weight:
    return replace(weight, ground=Ground.MOVED, repeats_wanted=0, ruling=ruling)


def _is_explained(question: Question, weight: Weight) -> bool:
    """Whether the label history alone explains the flip (E ≤ 1); a short one explains nothing."""
    is_known = question.history.calls >= MIN_HISTORY_CALLS and weight.repeats_done == 0
    return is_known and weight.log_e is not None and weight.log_e <= 0.0
