"""Weigh the evidence of a run's questions: numbers in, one ground per question out."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from budgets.near_tie import MarginReading
from budgets.priors import BetaPrior
from budgets.second_pass import WAVES, Decisions, SecondPassState, decide_binary, decide_labels
from triage.classify.calls import Call
from triage.history.vocabularies import Suite, suite_of
from triage.models import Case
from triage.terms import Difference
from triage.verdict.margins import MarginEvidence, read_margins
from triage.verdict.questions import Question
from triage.verdict.rules import CHARGEABLE, Ground

GROUND_OF_STATE = {
    SecondPassState.REPEAT: Ground.REPEAT,
    SecondPassState.CLEARED: Ground.CLEARED,
    SecondPassState.MOVED: Ground.MOVED,
    SecondPassState.OPEN: Ground.OPEN,
}
# Until a case's history names another one, a second label is possible: "not the expected one".
FEWEST_LABELS = 2


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What all questions of a run share."""

    label_prior: BetaPrior
    wording_prior: BetaPrior
    # LLM cases and other cases of the run: so many chances of a false alarm there were.
    llm_cases: int
    other_cases: int
    # Labels that the cases of each suite have shown.
    vocabularies: Mapping[Suite, frozenset[str]]
    # Closed sets that the policy names, by case id; empty where it names none.
    label_sets: Mapping[int, frozenset[str]]
    # How much likelier divergences are in this run than usual, as odds; 1 without a burst.
    tilt: float
    # Standard deviation of the suite's margins, in nats; 0 while they may not be used.
    margin_noise: float = 0.0

    def family_size(self, question: Question) -> int:
        """Return how many cases could have raised a question of this kind."""
        return max(self.llm_cases if question.is_llm else self.other_cases, 1)


@dataclass(frozen=True, slots=True)
class Weight:
    """What the evidence says of one question."""

    ground: Ground
    log_e: float | None = None
    probability_moved: float | None = None
    repeats_done: int = 0
    repeats_wanted: int = 0
    repeats_agreeing: int = 0
    # What the margin of the first flip says, where margins may be used.
    margin: MarginEvidence | None = None
    # What the flip's tie-break says, in words; empty where it says nothing.
    ruling: str = ""


# Judges the questions at some positions by a number of their first calls.
JudgeCounts = Callable[[Sequence[int], int], dict[int, Weight]]


def weigh(questions: Sequence[Question], shared: Circumstances) -> list[Weight]:
    """Return the weight of each question, in order."""
    weights: dict[int, Weight] = {}
    labels, others = [], []
    for position, question in enumerate(questions):
        if question.difference is Difference.LABEL:
            labels.append(position)
        elif question.difference is Difference.PROVIDER:
            weights[position] = Weight(Ground.OPEN)
        elif question.wording_is_all_that_differs:
            # The label was recorded and is right: nothing but the budget has a say.
            weights[position] = Weight(Ground.WITHIN)
        else:
            others.append(position)
    weights |= _weigh_by_waves(
        questions, labels, lambda at, calls: _judge_labels(questions, at, calls, shared)
    )
    weights |= _with_margins(questions, labels, weights, shared)
    weights |= _weigh_by_waves(
        questions, others, lambda at, calls: _judge_binary(questions, at, calls, shared)
    )
    return [weights[position] for position in range(len(questions))]


def _weigh_by_waves(
    questions: Sequence[Question], positions: Sequence[int], judge: JudgeCounts
) -> dict[int, Weight]:
    """Judge each question at the end of every wave that its calls reach.

    What a wave proves is final: repeating a moved case until it passes cannot take it back. A
    case that was cleared stays so until a further repeat fails.
    """
    weights: dict[int, Weight] = {}
    for wave in (0, *WAVES):
        reached = [
            position
            for position in positions
            if _answered(questions[position]) > wave and not _is_moved(weights.get(position))
        ]
        weights |= judge(reached, wave + 1)
    return {position: _continued(questions[position], weights[position]) for position in weights}


def _with_margins(
    questions: Sequence[Question],
    positions: Sequence[int],
    weights: Mapping[int, Weight],
    shared: Circumstances,
) -> dict[int, Weight]:
    flips = [questions[position] for position in positions]
    family = [shared.family_size(flip) for flip in flips]
    told = read_margins(flips, family, shared.margin_noise)
    return {
        position: _with_margin(weights[position], evidence)
        for position, evidence in zip(positions, told, strict=True)
        if evidence
    }


def _with_margin(weight: Weight, evidence: MarginEvidence) -> Weight:
    """Return the weight with what the margin adds: a label that fell far behind needs no repeats.

    The label history must not explain the flip better than a move does (E ≤ 1).
    """
    is_proven = evidence.reading is MarginReading.MOVED and (weight.log_e or 0.0) > 0.0
    if is_proven and weight.ground is Ground.REPEAT:
        return replace(weight, ground=Ground.MOVED, repeats_wanted=0, margin=evidence)
    return replace(weight, margin=evidence)


def _is_moved(weight: Weight | None) -> bool:
    return weight is not None and weight.ground is Ground.MOVED


def _continued(question: Question, weight: Weight) -> Weight:
    """Return the weight with the calls after its wave: open again if one of them failed."""
    calls = question.answered
    done = len(calls) - 1
    later = calls[weight.repeats_done + 1 :]
    agreeing = sum(call.difference is None for call in calls)
    ground, wanted = weight.ground, weight.repeats_wanted
    if ground is Ground.CLEARED and any(call.difference for call in later):
        ground, wanted = Ground.REPEAT, _next_wave(done)
    elif ground is Ground.REPEAT:
        wanted = _next_wave(done)
    return replace(
        weight,
        ground=ground,
        repeats_done=done,
        repeats_wanted=wanted,
        repeats_agreeing=agreeing,
    )


def _next_wave(done: int) -> int:
    return next((wave - done for wave in WAVES if wave > done), 0)


def _judge_labels(
    questions: Sequence[Question], positions: Sequence[int], calls: int, shared: Circumstances
) -> dict[int, Weight]:
    """Judge flips by their first calls, those with equally many labels in one step."""
    by_size: dict[int, list[tuple[int, LabelCounts]]] = defaultdict(list)
    for position in positions:
        counts = label_counts(questions[position], calls, shared)
        by_size[len(counts.labels)].append((position, counts))
    weights: dict[int, Weight] = {}
    for group in by_size.values():
        decisions = decide_labels(
            np.array([counts.observed for _, counts in group]),
            np.array([counts.history for _, counts in group]),
            np.zeros(len(group), dtype=int),
            np.array([shared.family_size(questions[position]) for position, _ in group]),
            shared.label_prior,
            tilt=shared.tilt,
        )
        for row, (position, _) in enumerate(group):
            weights[position] = _weight(decisions, row, calls)
    return weights


def _judge_binary(
    questions: Sequence[Question], positions: Sequence[int], calls: int, shared: Circumstances
) -> dict[int, Weight]:
    if not positions:
        return {}
    asked = [questions[position] for position in positions]
    decisions = decide_binary(
        np.array([sum(c.difference is not None for c in q.answered[:calls]) for q in asked]),
        np.full(len(asked), calls),
        np.array([_history_failures(question) for question in asked]),
        np.array([question.history.calls for question in asked]),
        np.array([shared.family_size(question) for question in asked]),
        shared.wording_prior,
        tilt=shared.tilt,
    )
    return {position: _weight(decisions, row, calls) for row, position in enumerate(positions)}


def _weight(decisions: Decisions, row: int, calls: int) -> Weight:
    ground = GROUND_OF_STATE[SecondPassState(int(decisions.state[row]))]
    wanted = int(decisions.repeats_wanted[row])
    if calls == 1 and ground is Ground.MOVED:
        # One answer is never proof: in a small suite it would pass the limit by itself.
        ground, wanted = Ground.REPEAT, WAVES[0]
    return Weight(
        ground,
        float(decisions.log_e[row]),
        float(decisions.probability_moved[row]),
        repeats_done=calls - 1,
        repeats_wanted=wanted,
    )


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """Counts per label, the expected one first."""

    labels: tuple[str, ...]
    observed: tuple[int, ...]
    history: tuple[int, ...]


def label_counts(question: Question, calls: int, shared: Circumstances) -> LabelCounts:
    """Count the labels of a flipped class, in the first calls of this run and before it.

    A call that passed without telling its label showed the expected one, when the case expects
    only one.
    """
    expected = question.flips[0].expected or ""
    observed = _observed_labels(question.answered[:calls], expected)
    history = _history_labels(question, expected)
    case = question.result.case
    # Where no report tells the closed set, a case could move to what its neighbours have shown.
    closed = shared.label_sets.get(case.pk) or case.labels or _vocabulary(case, shared)
    known = {*observed, *history, *closed} - {expected}
    labels = (expected, *sorted(known))
    while len(labels) < FEWEST_LABELS:
        labels = (*labels, "")
    return LabelCounts(
        labels,
        tuple(observed[label] for label in labels),
        tuple(history[label] for label in labels),
    )


def _vocabulary(case: Case, shared: Circumstances) -> frozenset[str]:
    return shared.vocabularies.get(suite_of(case), frozenset())


def _observed_labels(calls: Sequence[Call], expected: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for call in calls:
        if call.expected == expected and call.observed is not None:
            counts[call.observed] += 1
        elif call.difference is None and call.expected is None:
            counts[expected] += 1
    return counts


def _history_labels(question: Question, expected: str) -> Counter[str]:
    history = question.history
    counts: Counter[str] = Counter()
    for (wanted, observed), calls in history.labels.items():
        if wanted == expected:
            counts[observed] += calls
    if all(wanted == expected for wanted, _ in history.labels):
        told = sum(history.labels.values())
        differing = history.wording + history.crash
        counts[expected] += max(history.calls - told - differing, 0)
    return counts


def _answered(question: Question) -> int:
    return len(question.answered)


def _history_failures(question: Question) -> int:
    """Return how often the case failed in the same manner before."""
    history = question.history
    if question.is_llm and question.difference in CHARGEABLE:
        return history.wording
    return history.crash
