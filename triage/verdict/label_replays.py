"""Replay recorded runs through the rule for flips: which it blocks, holds or settles.

Every replay permutes the runs: one of them is judged, the next ones are its repeats, the rest is
its history. Nothing here reads the database.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from budgets.priors import BetaPrior, decision_prior, posterior_mean
from budgets.run_count import burst_tilt
from budgets.second_pass import MIN_HISTORY_CALLS, WAVES, SecondPassState, decide_labels
from triage.verdict.counting import FEWEST_IN_A_BURST

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Codes of a cell; a label other than the expected one is a number from 1.
EXPECTED = 0
NO_ANSWER = -1
REPEATS = WAVES[-1]
# A history on which the gate blocks by itself, the run that is judged, and its second pass.
FEWEST_RUNS = MIN_HISTORY_CALLS + 1 + REPEATS


@dataclass(frozen=True, slots=True)
class RecordedLabels:
    """What the reference runs of a repository answered, one call per case and run.

    ``labels`` has the shape (n_cases, n_runs) and holds `EXPECTED`, `NO_ANSWER` or the number of
    another label; ``kinds``, shape (n_cases,), says how many labels a case can show, and
    ``llm_cases``, shape (n_runs,), how many LLM cases a run executed.
    """

    labels: Counts
    kinds: Counts
    llm_cases: Counts

    @property
    def answers(self) -> Counts:
        """Answers per case, shape (n_cases,)."""
        return np.asarray((self.labels != NO_ANSWER).sum(axis=1))

    @property
    def runs_missing(self) -> int:
        """How many more runs it takes until the case with the longest history can be replayed."""
        return max(FEWEST_RUNS - int(self.answers.max(initial=0)), 0)

    def replayable(self) -> "RecordedLabels":
        """Return the cases with enough runs, and the runs that executed any of them."""
        labels = self.labels[self.answers >= FEWEST_RUNS]
        executed = (labels != NO_ANSWER).any(axis=0)
        kinds = self.kinds[self.answers >= FEWEST_RUNS]
        return RecordedLabels(labels[:, executed], kinds, self.llm_cases[executed])


@dataclass(frozen=True, slots=True)
class Flips:
    """Flipped cases of one or many replays; all arrays have the first axis n_flips."""

    # First call and repeats, shape (n_flips, 1 + REPEATS); calls per label before them.
    calls: Counts
    history: Counts
    kinds: Counts
    is_moved: npt.NDArray[np.bool_]
    family: Counts
    tilt: Floats
    replay: Counts


@dataclass(frozen=True, slots=True)
class Judged:
    """Flips with the state that their second pass ended in, and the repeats it took."""

    flips: Flips
    state: Counts
    repeats: Counts


@dataclass(frozen=True, slots=True)
class Gate:
    """The rule for flips with what it knows of the suite."""

    recorded: RecordedLabels
    prior: BetaPrior
    # Chance of each case to flip in a run, and whether a label can move away from it: it cannot
    # from a case that seldom shows the expected one. Both of shape (n_cases,).
    chances: Floats
    can_move: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, recorded: RecordedLabels) -> "Gate":
        """Return the gate as a run of today would meet it: knowing all that is recorded."""
        flips, calls = (recorded.labels > EXPECTED).sum(axis=1), recorded.answers
        prior = decision_prior(flips, calls)
        chances = posterior_mean(flips, calls, prior)
        return cls(recorded, prior, chances, can_move=2 * flips < calls)

    def replay(self, replays: int, seed: int, *, share_moved: float) -> Judged:
        """Judge this many runs; with the same seed they are the same but for the moved label."""
        drawn = [
            self._draw(replay, np.random.default_rng([seed, replay]), share_moved)
            for replay in range(replays)
        ]
        return _second_pass(_joined(drawn), self.prior)

    def _draw(self, replay: int, rng: np.random.Generator, share_moved: float) -> Flips:
        labels, kinds = self.recorded.labels, self.recorded.kinds
        order = rng.permutation(labels.shape[1])
        first = labels[:, order[0]]
        executed = np.flatnonzero(first != NO_ANSWER)
        is_moved = np.zeros(len(first), dtype=bool)
        if share_moved:
            is_moved[self._choose_moved(executed, rng)] = True
        cases = np.flatnonzero((first > EXPECTED) | is_moved)
        calls, later = _split(labels[cases][:, order])
        for row in np.flatnonzero(is_moved[cases]):
            hit = (calls[row] == EXPECTED) & (rng.random(calls.shape[1]) < share_moved)
            calls[row, hit] = rng.integers(1, kinds[cases[row]])
        flipped = calls[:, 0] > EXPECTED
        cases, count = cases[flipped], int(flipped.sum())
        return Flips(
            calls=calls[flipped],
            history=_counts_of(later[flipped], int(kinds.max())),
            kinds=kinds[cases],
            is_moved=is_moved[cases],
            family=np.full(count, self.recorded.llm_cases[order[0]]),
            tilt=np.full(count, self._tilt(executed, count)),
            replay=np.full(count, replay),
        )

    def _choose_moved(self, executed: Counts, rng: np.random.Generator) -> int:
        movable = executed[self.can_move[executed]]
        return int(rng.choice(movable if movable.size else executed))

    def _tilt(self, executed: Counts, flips: int) -> float:
        return burst_tilt(self.chances[executed], flips) if flips >= FEWEST_IN_A_BURST else 1.0


def _split(answers: Counts) -> tuple[Counts, Counts]:
    """Return the first calls with their repeats, and all later ones; missing answers go last."""
    later = answers[:, 1:]
    order = np.argsort(later == NO_ANSWER, axis=1, kind="stable")
    later = np.take_along_axis(later, order, axis=1)
    return np.hstack([answers[:, :1], later[:, :REPEATS]]), later[:, REPEATS:]


def _counts_of(labels: Counts, kinds: int) -> Counts:
    """Return calls per label, shape (n_flips, kinds)."""
    return np.stack([(labels == kind).sum(axis=1) for kind in range(kinds)], axis=1)


def _joined(drawn: list[Flips]) -> Flips:
    return Flips(
        *(
            np.concatenate([getattr(each, name) for each in drawn])
            for name in Flips.__dataclass_fields__
        )
    )


def _second_pass(flips: Flips, prior: BetaPrior) -> Judged:
    """Judge, repeat what is undecided, judge again; the flips of all replays in one step."""
    state = np.full(len(flips.calls), int(SecondPassState.REPEAT))
    repeats = np.zeros(len(state), dtype=np.int64)
    for wave in (0, *WAVES):
        still = np.flatnonzero(state == SecondPassState.REPEAT)
        repeats[still] = wave
        for kinds in np.unique(flips.kinds[still]):
            group = still[flips.kinds[still] == kinds]
            state[group] = _decide(flips, group, int(kinds), wave, prior)
    return Judged(flips, state, repeats)


def _decide(flips: Flips, group: Counts, kinds: int, wave: int, prior: BetaPrior) -> Counts:
    decisions = decide_labels(
        _counts_of(flips.calls[group, : wave + 1], kinds),
        flips.history[group, :kinds],
        np.zeros(len(group), dtype=int),
        flips.family[group],
        prior,
        tilt=flips.tilt[group],
        run_ids=flips.replay[group],
    )
    if wave == 0:
        # One answer is never proof; see weighing.
        proof = decisions.state == SecondPassState.MOVED
        return np.where(proof, int(SecondPassState.REPEAT), decisions.state)
    return decisions.state
