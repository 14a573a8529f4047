"""Does 2.4 % apply here? Each condition with its answer and its numbers in a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

from budgets.applicability import Answer, Condition
from triage.history.conditions import Conditions


@dataclass(frozen=True, slots=True)
class ConditionRow:
    """One condition as it is shown."""

    question: str
    answer: str
    tone: str
    why: str


@dataclass(frozen=True, slots=True)
class ConditionTable:
    """The three conditions, and whether the published rate says anything here."""

    rows: Sequence[ConditionRow]
    answer: str


TONES = {Answer.HOLDS: "warning", Answer.DOES_NOT: "good", Answer.CANNOT_TELL: "neutral"}


def condition_table(told: Conditions) -> ConditionTable:
    """Return the conditions as a table."""
    return ConditionTable(
        (
            _row("Near tie", told.near_tie, f"{told.divergent} of {told.calls} calls differed"),
            _row("Load pattern", told.load_pattern, f"{told.divergent} divergences over the day"),
            _row(
                "Byte-sensitive assertion",
                told.byte_sensitive,
                _label_numbers(told),
            ),
        ),
        str(told.applies),
    )


def _label_numbers(told: Conditions) -> str:
    said = f"the test compares {told.assertion}; " if told.assertion else ""
    return (
        f"{said}the label stayed in {told.label_kept} of {told.labelled} recent divergences "
        "whose label is known"
    )


def _row(question: str, condition: Condition, numbers: str) -> ConditionRow:
    needed = []
    if condition.divergences_needed:
        needed.append(f"{condition.divergences_needed} more divergences")
    if condition.calls_needed:
        needed.append(f"{condition.calls_needed} more calls")
    wanted = f"; {' or '.join(needed)} could settle it" if needed else ""
    return ConditionRow(
        question, str(condition.answer), TONES[condition.answer], f"{numbers}{wanted}"
    )
