"""Estimate how often the gate blocks or holds unchanged runs, and misses a label that moved."""

from dataclasses import dataclass

import numpy as np

from budgets.intervals import wilson
from budgets.second_pass import SecondPassState
from triage.verdict.label_replays import FEWEST_RUNS, Gate, Judged, RecordedLabels

# Enough to tell half a percent from two percent.
REPLAYS = 1_000
# Share of its calls in which a moved label shows: always, and as a tie that shifted.
SHARES_MOVED = (1.0, 0.6)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of replays, never shown without their number and the Wilson interval."""

    count: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of the 95 % interval."""
        ends = wilson(self.count, self.of)
        return float(ends.low), float(ends.high)

    def __str__(self) -> str:
        """Return the share as people read it."""
        share, low, high = (100 * each for each in (self.count / self.of, *self.interval))
        return f"{share:.1f} % ({self.count} of {self.of}, {low:.1f}–{high:.1f} %)"

    def as_json(self) -> dict[str, float]:
        """Return count, share and interval."""
        low, high = self.interval
        share = self.count / self.of
        return {"count": self.count, "of": self.of, "share": share, "low": low, "high": high}


@dataclass(frozen=True, slots=True)
class UnchangedRuns:
    """What the gate does to runs in which nothing changed."""

    flipping: Share
    blocked: Share
    held: Share
    repeats_per_run: float


@dataclass(frozen=True, slots=True)
class MovedLabel:
    """What the gate does to the one case of a run whose label moved in a share of its calls."""

    share_of_calls: float
    # Its first call still showed the expected label, so that nothing was asked; all are missed.
    unseen: Share
    blocked: Share
    held: Share
    missed: Share
    repeats_per_run: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The estimates, with how many cases, runs and replays they rest on."""

    cases: int
    runs: int
    replays: int
    unchanged: UnchangedRuns
    moved: tuple[MovedLabel, ...]


def calibrate(recorded: RecordedLabels, *, replays: int = REPLAYS, seed: int = 0) -> Calibration:
    """Replay runs through the rule that judges flips, as it is today.

    Raises ``ValueError`` when no case has `FEWEST_RUNS` runs.

    The prior and the usual rates are those of the whole record, as a run of today would meet them.
    Flips of one run stay together, so that bad hours count; repeats are drawn from other runs.
    """
    if recorded.runs_missing:
        raise ValueError(
            f"no case can be replayed: {FEWEST_RUNS} runs are needed, {recorded.runs_missing} more "
            "than there are"
        )
    ready = recorded.replayable()
    gate = Gate.of(ready)
    return Calibration(
        cases=len(ready.labels),
        runs=ready.labels.shape[1],
        replays=replays,
        unchanged=_unchanged(gate.replay(replays, seed, share_moved=0.0), replays),
        moved=tuple(
            _moved(gate.replay(replays, seed, share_moved=share), replays, share)
            for share in SHARES_MOVED
        ),
    )


def _unchanged(judged: Judged, replays: int) -> UnchangedRuns:
    runs = judged.flips.replay
    blocked = np.unique(runs[judged.state == SecondPassState.MOVED])
    held = np.setdiff1d(runs[judged.state == SecondPassState.OPEN], blocked)
    return UnchangedRuns(
        flipping=Share(len(np.unique(runs)), replays),
        blocked=Share(len(blocked), replays),
        held=Share(len(held), replays),
        repeats_per_run=float(judged.repeats.sum() / replays),
    )


def _moved(judged: Judged, replays: int, share_of_calls: float) -> MovedLabel:
    state = judged.state[judged.flips.is_moved]
    blocked = int((state == SecondPassState.MOVED).sum())
    held = int((state == SecondPassState.OPEN).sum())
    return MovedLabel(
        share_of_calls=share_of_calls,
        unseen=Share(replays - len(state), replays),
        blocked=Share(blocked, replays),
        held=Share(held, replays),
        missed=Share(replays - blocked - held, replays),
        repeats_per_run=float(judged.repeats.sum() / replays),
    )
