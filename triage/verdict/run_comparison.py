"""What differs between two runs: every case that fails in one of them, or is in one alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from triage.models.vectors import Code
from triage.verdict.run_states import FAILING_CODES, KeptResult, RunState

# A case that moved into a leg of another name is compared with the worst of the legs it came from.
WORST_FIRST = (Code.ERRORED, Code.FAILED, Code.PASSED_AFTER_RETRY, Code.PASSED, Code.SKIPPED)
RAN = (Code.PASSED, Code.FAILED, Code.ERRORED, Code.PASSED_AFTER_RETRY)

Slots = npt.NDArray[np.bool_]


class RunDifference(StrEnum):
    """How a case differs between the run that is compared with and this one; worst first."""

    LABEL_CHANGED = "label_changed"
    NEWLY_FAILING = "newly_failing"
    FAILING_OTHERWISE = "failing_otherwise"
    FAILING_ALIKE = "failing_alike"
    NO_LONGER_FAILING = "no_longer_failing"
    NO_LONGER_RUN = "no_longer_run"
    ONLY_HERE = "only_here"
    ONLY_THERE = "only_there"


@dataclass(frozen=True, slots=True)
class Side:
    """How a case stood in a leg of one of the runs; nothing is kept of one that just passed."""

    leg: str
    code: Code
    kept: KeptResult | None

    @property
    def is_failing(self) -> bool:
        """Whether it failed or flipped."""
        return self.code in FAILING_CODES or (self.kept is not None and self.kept.is_failing)

    @property
    def flips(self) -> frozenset[tuple[str | None, str | None]]:
        """The pairs of labels that flipped."""
        return self.kept.flips if self.kept else frozenset()


@dataclass(frozen=True, slots=True)
class ComparedCase:
    """A case that differs; ``None`` stands for a run that does not hold it."""

    slot: int
    difference: RunDifference
    there: Side | None
    here: Side | None

    @property
    def kept(self) -> KeptResult | None:
        """What is kept of it, of this run before the other; ``None`` where it failed in neither."""
        sides = (self.here, self.there)
        return next((side.kept for side in sides if side and side.kept), None)


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs held against each other."""

    cases: Sequence[ComparedCase]
    # Cases that both runs hold and that none of ``cases`` is about: right, or skipped, in both.
    unchanged: int

    @property
    def counts(self) -> Mapping[RunDifference, int]:
        """How many cases differ in which way, those that do not occur among them."""
        found = dict.fromkeys(RunDifference, 0)
        for each in self.cases:
            found[each.difference] += 1
        return found


def compare_runs(there: RunState, here: RunState) -> RunComparison:
    """Compare a run (``here``) with another one (``there``), leg by leg, the worst first."""
    kept = list(_compared_kept(there, here))
    told = {each.slot for each in kept}
    cases = [*kept, *(each for each in _without_rows(there, here) if each.slot not in told)]
    order = list(RunDifference)
    cases.sort(key=lambda each: (order.index(each.difference), *_place(each)))
    unchanged = _holds(there, here) & _holds(here, there)
    unchanged[[each.slot for each in cases]] = False
    return RunComparison(cases, int(unchanged.sum()))


def _place(each: ComparedCase) -> tuple[bool, str, str, int]:
    kept = each.kept
    return (kept is None, kept.title if kept else "", kept.leg if kept else "", each.slot)


def _compared_kept(there: RunState, here: RunState) -> Iterator[ComparedCase]:
    """Compare every case that some row tells of, in each of its legs once."""
    seen = set()
    for leg, slot in here.kept:
        side = _side(here, leg, slot)
        other = _partner(side, slot, here, there)
        seen.add((other.leg if other else None, leg, slot))
        yield from _compared(slot, other, side)
    for leg, slot in there.kept:
        side = _side(there, leg, slot)
        other = _partner(side, slot, there, here)
        if (leg, other.leg if other else None, slot) not in seen:
            yield from _compared(slot, side, other)


def _compared(slot: int, there: Side | None, here: Side | None) -> Iterator[ComparedCase]:
    difference = difference_of(there, here)
    alone = here or there if there is None or here is None else None
    # Whether a case that did not fail is in one run alone is told by all legs together.
    if difference and (alone is None or alone.is_failing):
        yield ComparedCase(slot, difference, there, here)


def difference_of(there: Side | None, here: Side | None) -> RunDifference | None:
    """Return how a case differs, or ``None`` where it is right in both runs.

    A flip outweighs everything else: it is never hidden in a group of other failures.
    """
    if there is None or here is None:
        return RunDifference.ONLY_HERE if there is None else RunDifference.ONLY_THERE
    if here.flips and here.flips != there.flips:
        return RunDifference.LABEL_CHANGED
    if not there.is_failing:
        return RunDifference.NEWLY_FAILING if here.is_failing else None
    if not here.is_failing:
        is_run = here.code in RAN
        return RunDifference.NO_LONGER_FAILING if is_run else RunDifference.NO_LONGER_RUN
    return _both_failing(there, here)


def _both_failing(there: Side, here: Side) -> RunDifference:
    is_alike = there.kept is not None and here.kept is not None and here.kept.is_same_as(there.kept)
    return RunDifference.FAILING_ALIKE if is_alike else RunDifference.FAILING_OTHERWISE


def _side(state: RunState, leg: str, slot: int) -> Side:
    return Side(leg, state.code(leg, slot), state.kept.get((leg, slot)))


def _partner(side: Side, slot: int, mine: RunState, other: RunState) -> Side | None:
    """Return the same case in the other run: in the leg of the same name, or where it moved.

    Shards are dealt anew from run to run; a leg in which both runs hold the case is its own
    partner and no other one's.
    """
    if other.code(side.leg, slot) is not Code.ABSENT:
        return _side(other, side.leg, slot)
    moved = [
        _side(other, leg, slot)
        for leg in other.codes
        if other.code(leg, slot) is not Code.ABSENT and mine.code(leg, slot) is Code.ABSENT
    ]
    return min(moved, key=_badness, default=None)


def _badness(side: Side) -> tuple[bool, int, str]:
    return not side.is_failing, WORST_FIRST.index(side.code), side.leg


def _without_rows(there: RunState, here: RunState) -> Iterator[ComparedCase]:
    """Return what the outcomes alone tell: cases of one run alone, and those skipped by now."""
    is_there, is_here = _holds(there, here), _holds(here, there)
    slots = len(is_here)
    skipped = is_there & is_here & _ran(there, slots) & ~_ran(here, slots)
    for found, difference in (
        (skipped, RunDifference.NO_LONGER_RUN),
        (is_here & ~is_there, RunDifference.ONLY_HERE),
        (is_there & ~is_here, RunDifference.ONLY_THERE),
    ):
        for slot in np.flatnonzero(found).tolist():
            yield ComparedCase(slot, difference, _worst(there, slot), _worst(here, slot))


def _worst(state: RunState, slot: int) -> Side | None:
    sides = [
        _side(state, leg, slot) for leg in state.codes if state.code(leg, slot) is not Code.ABSENT
    ]
    return min(sides, key=_badness, default=None)


def _holds(state: RunState, other: RunState) -> Slots:
    """Return which slots some leg holds, over as many slots as the longer of two runs has."""
    vectors = [*state.codes.values(), *other.codes.values()]
    return _any_of(state, range(1, len(Code)), max(map(len, vectors), default=0))


def _ran(state: RunState, slots: int) -> Slots:
    return _any_of(state, RAN, slots)


def _any_of(state: RunState, wanted: Sequence[int], slots: int) -> Slots:
    found = np.zeros(slots, dtype=bool)
    for codes in state.codes.values():
        found[: len(codes)] |= np.isin(codes, list(wanted))
    return found
