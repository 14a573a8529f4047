"""What the recorded margin of a flip says, once the suite's own check lets margins speak."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from budgets.near_tie import MarginReading, Margins, read_margin, signed_margin
from budgets.second_pass import MIN_HISTORY_CALLS
from triage.verdict.questions import Question


@dataclass(frozen=True, slots=True)
class MarginEvidence:
    """One margin against those of the case's history; in nats, positive for the expected label."""

    reading: MarginReading
    margin: float
    mean: float
    noise: float
    calls: int

    def as_json(self) -> dict[str, object]:
        """Return the evidence as a receipt keeps it."""
        return {
            "reading": self.reading.name.lower(),
            "margin": round(self.margin, 4),
            "mean": round(self.mean, 4),
            "noise": round(self.noise, 4),
            "calls": self.calls,
        }


def read_margins(
    questions: Sequence[Question], family: Sequence[int], noise: float
) -> list[MarginEvidence | None]:
    """Return what margins say of each flip; ``None`` where they may say nothing.

    ``family`` is the number of cases that could have flipped, ``noise`` the standard deviation of
    the suite's margins, 0 while its own check has not passed.
    """
    told = [at for at, each in enumerate(questions) if noise > 0 and _has_margins(each)]
    evidence: list[MarginEvidence | None] = [None] * len(questions)
    for at, each in zip(told, _read(questions, family, noise, told), strict=True):
        evidence[at] = each
    return evidence


def _read(
    questions: Sequence[Question], family: Sequence[int], noise: float, told: Sequence[int]
) -> list[MarginEvidence]:
    if not told:
        return []
    tallies = [questions[at].history for at in told]
    history = Margins(
        np.array([each.margins for each in tallies]),
        np.array([each.margin_sum for each in tallies]),
        np.array([each.margin_squares for each in tallies]),
    )
    gaps = [questions[at].flips[0].margin or 0.0 for at in told]
    seen = signed_margin(gaps, np.zeros(len(told), dtype=bool))
    readings = read_margin(seen, history, noise, np.array([family[at] for at in told]))
    return [
        MarginEvidence(MarginReading(int(reading)), float(margin), float(mean), noise, int(calls))
        for reading, margin, mean, calls in zip(
            readings, seen, history.mean, history.calls, strict=True
        )
    ]


def _has_margins(question: Question) -> bool:
    first = question.flips[0]
    return first.margin is not None and question.history.margins >= MIN_HISTORY_CALLS
