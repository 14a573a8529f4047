"""Weigh the evidence of a run's questions: numbers in, one ground per question out."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from budgets.priors import BetaPrior
from budgets.second_pass import Decisions, SecondPassState, decide_binary, decide_labels
from triage.terms import Difference
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
    # How much likelier divergences are in this run than usual, as odds; 1 without a burst.
    tilt: float

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


def weigh(questions: Sequence[Question], shared: Circumstances) -> list[Weight]:
    """Return the weight of each question, in order."""
    weights: dict[int, Weight] = {}
    labels = [i for i, each in enumerate(questions) if each.difference is Difference.LABEL]
    weights |= _weigh_labels(questions, labels, shared)
    others = []
    for position, question in enumerate(questions):
        if position in weights:
            continue
        if question.difference is Difference.PROVIDER:
            weights[position] = Weight(Ground.OPEN)
        elif question.difference is Difference.TEXT and question.wording_is_all_that_differs:
            # The label was recorded and is right: nothing but the budget has a say.
            weights[position] = Weight(Ground.WITHIN)
        else:
            others.append(position)
    weights |= _weigh_binary(questions, others, shared)
    return [weights[position] for position in range(len(questions))]


def _weigh_labels(
    questions: Sequence[Question], positions: Sequence[int], shared: Circumstances
) -> dict[int, Weight]:
    """Weigh flips, those with equally many labels in one call."""
    by_size: dict[int, list[tuple[int, LabelCounts]]] = defaultdict(list)
    for position in positions:
        counts = label_counts(questions[position])
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
        for row, (position, counts) in enumerate(group):
            weights[position] = _weight(decisions, row, sum(counts.observed), counts.observed[0])
    return weights


def _weigh_binary(
    questions: Sequence[Question], positions: Sequence[int], shared: Circumstances
) -> dict[int, Weight]:
    if not positions:
        return {}
    asked = [questions[position] for position in positions]
    failures = np.array([_failures(each) for each in asked])
    calls = np.array([_answered(each) for each in asked])
    decisions = decide_binary(
        failures,
        calls,
        np.array([_history_failures(each) for each in asked]),
        np.array([each.history.calls for each in asked]),
        np.array([shared.family_size(each) for each in asked]),
        shared.wording_prior,
        tilt=shared.tilt,
    )
    return {
        position: _weight(decisions, row, int(calls[row]), int(calls[row] - failures[row]))
        for row, position in enumerate(positions)
    }


def _weight(decisions: Decisions, row: int, calls: int, agreeing: int) -> Weight:
    return Weight(
        GROUND_OF_STATE[SecondPassState(int(decisions.state[row]))],
        float(decisions.log_e[row]),
        float(decisions.probability_moved[row]),
        repeats_done=max(calls - 1, 0),
        repeats_wanted=int(decisions.repeats_wanted[row]),
        repeats_agreeing=agreeing,
    )


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """Counts per label, the expected one first."""

    labels: tuple[str, ...]
    observed: tuple[int, ...]
    history: tuple[int, ...]


def label_counts(question: Question) -> LabelCounts:
    """Count the labels of a flipped class, in this run and before it.

    A call that passed without telling its label showed the expected one, when the case expects
    only one.
    """
    expected = question.flips[0].expected or ""
    observed = _observed_labels(question, expected)
    history = _history_labels(question, expected)
    known = {*observed, *history, *question.result.case.labels} - {expected}
    labels = (expected, *sorted(known))
    while len(labels) < FEWEST_LABELS:
        labels = (*labels, "")
    return LabelCounts(
        labels,
        tuple(observed[label] for label in labels),
        tuple(history[label] for label in labels),
    )


def _observed_labels(question: Question, expected: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for call in question.calls:
        if call.expected == expected and call.observed is not None:
            counts[call.observed] += 1
        elif call.difference is None and call.expected is None:
            counts[expected] += 1
    counts[expected] += question.plain_passes
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


def _failures(question: Question) -> int:
    return sum(call.difference not in {None, Difference.PROVIDER} for call in question.calls)


def _answered(question: Question) -> int:
    answered = sum(call.difference is not Difference.PROVIDER for call in question.calls)
    return answered + question.plain_passes


def _history_failures(question: Question) -> int:
    """Return how often the case failed in the same manner before."""
    history = question.history
    if question.is_llm and question.difference in CHARGEABLE:
        return history.wording
    return history.crash
