"""Count the cases of a run, each by the outcome of its latest attempt."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from budgets.run_count import burst_tilt, failure_count
from triage.history.suites import SuiteHistory
from triage.models.vectors import Code, unpack_groups
from triage.terms import Difference
from triage.verdict.questions import CiRun, Question

# One run in a hundred is this unlikely by chance: rare enough to be told, and no more.
BURST_P_VALUE = 0.01
# In a quiet suite a single failure is more than was due already; that is no bad hour, it is the
# failure itself, and must not weaken the evidence for it.
FEWEST_IN_A_BURST = 3

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Cases by outcome over all legs, and how many legs reported."""

    passed: int
    failed: int
    errored: int
    skipped: int
    llm: int
    parts_got: int
    parts_expected: int

    @property
    def cases(self) -> int:
        """All cases that the run held."""
        return self.passed + self.failed + self.errored + self.skipped


def count_run(ci_run: CiRun, llm_slots: Positions) -> RunCounts:
    """Count a run's cases; ``llm_slots`` are the slots of the repository's LLM cases."""
    merged = list(ci_run.outcomes_by_part().values())
    codes = np.concatenate([*merged, np.zeros(0, dtype=np.uint8)])
    told = max((attempt.parts_expected or 0 for attempt in ci_run.attempts), default=0)
    return RunCounts(
        passed=int(np.isin(codes, (Code.PASSED, Code.PASSED_AFTER_RETRY)).sum()),
        failed=int((codes == Code.FAILED).sum()),
        errored=int((codes == Code.ERRORED).sum()),
        skipped=int((codes == Code.SKIPPED).sum()),
        llm=len(_executed(ci_run, llm_slots)),
        parts_got=len(merged),
        parts_expected=max(told, len(merged)),
    )


@dataclass(frozen=True, slots=True)
class RunFailures:
    """Failing LLM cases of a run against how many were due."""

    expected: float
    observed: int
    p_value: float
    # How much likelier divergences are in this run than usual, as odds; 1 without a burst.
    tilt: float

    @property
    def is_burst(self) -> bool:
        """Whether there are so many that one cause is likelier than many."""
        return self.tilt > 1.0 and self.p_value < BURST_P_VALUE


def count_failures(
    ci_run: CiRun, suite: SuiteHistory, questions: Sequence[Question]
) -> RunFailures:
    """Hold the number of failing LLM cases against its distribution.

    Cases that share a call fail together, so they count as one.
    """
    positions = _executed(ci_run, suite.slots)
    clusters = _clusters(ci_run, suite.slots[positions])
    failing = [question.result.case.slot for question in questions if _is_counted(question)]
    failed = np.isin(suite.slots[positions], failing)
    observed = len(np.unique(clusters[failed]))
    rates = suite.chances_of_failing()[positions]
    count = failure_count(rates, observed, clusters)
    tilt = burst_tilt(rates, observed, clusters) if observed >= FEWEST_IN_A_BURST else 1.0
    return RunFailures(float(count.expected), observed, float(count.p_value), float(tilt))


def _is_counted(question: Question) -> bool:
    return question.is_llm and question.difference is not Difference.PROVIDER


def _executed(ci_run: CiRun, slots: Positions) -> Positions:
    """Return the positions among ``slots`` of the cases that some leg executed."""
    executed = np.zeros(len(slots), dtype=bool)
    for codes in ci_run.outcomes_by_part().values():
        within = np.flatnonzero(slots < len(codes))
        executed[within] |= ~np.isin(codes[slots[within]], (Code.ABSENT, Code.SKIPPED))
    return np.flatnonzero(executed)


def _clusters(ci_run: CiRun, slots: Positions) -> Positions:
    """Return a cluster number per slot; cases of one shared call get the same."""
    clusters = -1 - np.arange(len(slots), dtype=np.int64)
    for number, part in enumerate(ci_run.parts):
        if not part.call_groups:
            continue
        groups = unpack_groups(part.call_groups, int(slots.max(initial=-1)) + 1)[slots]
        shared = groups > 0
        clusters[shared] = groups[shared].astype(np.int64) + number * 2**32
    return clusters
