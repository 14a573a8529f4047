"""One judgement per question: what was found, on which ground, with which numbers."""

from dataclasses import dataclass
from datetime import datetime

from budgets.intervals import credible
from budgets.priors import BetaPrior
from triage.classify.calls import Call
from triage.models import Mute
from triage.terms import Difference, FindingKind
from triage.verdict.base import BaseFailure
from triage.verdict.questions import Question
from triage.verdict.rules import CHARGEABLE, MUTABLE, Ground, find
from triage.verdict.standings import BudgetStanding
from triage.verdict.tie_breaks import TieBreak
from triage.verdict.weighing import Circumstances, Weight

# Grounds that would fail or hold the run: only these can be the base's instead of the change's.
DOUBTFUL = frozenset({Ground.MOVED, Ground.REPEAT, Ground.OPEN})


@dataclass(frozen=True, slots=True)
class Rate:
    """A case's rate per call before this run, with its 95 % credible interval."""

    divergent: int
    calls: int
    low: float
    high: float

    def __str__(self) -> str:
        """Return the rate as people read it: never without n and interval."""
        if not self.calls:
            return "no history"
        share, low, high = (100 * x for x in (self.divergent / self.calls, self.low, self.high))
        return f"{share:.1f} % ({self.divergent} of {self.calls}, {low:.1f}–{high:.1f} %)"


@dataclass(frozen=True, slots=True)
class Allowed:
    """Who let a case over budget pass this once."""

    who: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one question with everything that it was made of."""

    question: Question
    weight: Weight
    ground: Ground
    kind: FindingKind
    rate: Rate
    prior: BetaPrior
    budget: BudgetStanding | None
    base: BaseFailure | None
    # The mute that the finding rests on, if it does.
    mute: Mute | None
    tie_break: TieBreak
    allowed: Allowed | None = None

    @property
    def expected(self) -> str | None:
        """The expected label, when one was told."""
        return self._shown_call.expected

    @property
    def observed(self) -> str | None:
        """The observed label: of a flip the one that it flipped to."""
        return self._shown_call.observed

    @property
    def confidence(self) -> float | None:
        """Probability of the observed label, when recorded."""
        return self._shown_call.confidence

    @property
    def margin(self) -> float | None:
        """Gap of the two best labels in nats, when recorded."""
        return self._shown_call.margin

    @property
    def _shown_call(self) -> Call:
        differing = [c for c in self.question.calls if c.difference is self.question.difference]
        return (differing or self.question.calls)[0]


def ground_of(
    question: Question,
    weight: Weight,
    budget: BudgetStanding | None,
    base: BaseFailure | None,
    mute: Mute | None,
    tie_break: TieBreak,
) -> Ground:
    """Return the ground that decides: the base's word, the budget's, a person's who muted it.

    A flip that touches a critical label blocks wherever else it is seen.
    """
    is_doubtful = weight.ground in DOUBTFUL and not tie_break.critical
    if base and is_doubtful and _fails_alike(question, weight, base):
        return Ground.INHERITED
    ground = weight.ground
    if _is_explained(question, weight):
        ground = Ground.WITHIN if budget is None or budget.pays else Ground.SPENT
    return Ground.MUTED if is_mutable(question, ground, mute) else ground


def is_mutable(question: Question, ground: Ground, mute: Mute | None) -> bool:
    """Whether a mute takes the place of a ground: for wording alone, never for a label."""
    return mute is not None and question.difference is Difference.TEXT and ground in MUTABLE


def is_payable(question: Question, weight: Weight, mute: Mute | None) -> bool:
    """Whether the budget is asked to pay for what differs; it pays for what is muted too."""
    return _is_explained(question, weight) or is_mutable(question, weight.ground, mute)


def _is_explained(question: Question, weight: Weight) -> bool:
    return question.difference in CHARGEABLE and weight.ground in {Ground.WITHIN, Ground.CLEARED}


def _fails_alike(question: Question, weight: Weight, base: BaseFailure) -> bool:
    """Whether the base fails in the same way.

    A flip that the case's own history explains (E ≤ 1) is a near tie that happened to show on
    the base too; being seen there twice does not make it pass.
    """
    if question.difference is Difference.LABEL and (weight.log_e or 0.0) <= 0.0:
        return False
    return base.is_same_as(question)


def judgement(
    question: Question,
    weight: Weight,
    budget: BudgetStanding | None,
    base: BaseFailure | None,
    mute: Mute | None,
    shared: Circumstances,
    tie_break: TieBreak,
) -> Judgement:
    """Judge one question."""
    ground = ground_of(question, weight, budget, base, mute, tie_break)
    rate, prior = _rate(question, shared)
    return Judgement(
        question=question,
        weight=weight,
        ground=ground,
        kind=find(question.difference, ground),
        rate=rate,
        prior=prior,
        budget=budget if question.difference in CHARGEABLE else None,
        base=base if ground is Ground.INHERITED else None,
        mute=mute if ground is Ground.MUTED else None,
        tie_break=tie_break,
    )


def _rate(question: Question, shared: Circumstances) -> tuple[Rate, BetaPrior]:
    history = question.history
    divergent, prior = _divergent(question, shared)
    interval = credible(divergent, history.calls, prior)
    rate = Rate(divergent, history.calls, float(interval.low), float(interval.high))
    return rate, prior


def _divergent(question: Question, shared: Circumstances) -> tuple[int, BetaPrior]:
    """Return how often the case differed in this manner before, and the prior of that rate."""
    if question.difference is Difference.LABEL:
        return question.history.label, shared.label_prior
    if question.is_llm and question.difference in CHARGEABLE:
        return question.history.wording, shared.wording_prior
    return question.history.crash, shared.wording_prior
