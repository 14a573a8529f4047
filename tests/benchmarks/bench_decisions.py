"""Hold the statistical core against its acceptance bounds; exit 1 when one is broken.

A: the arithmetic of 12 in 500. B: unchanged suites of real calls, blocked and held. C: one label
of a real suite moved, and missed. D: the budget monitor. E: seconds. F: what is aimed at beyond
the bounds, on more runs.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from budgets import monitor
from budgets.cadence import calls_per_divergence, calls_to_see, chance_of_red
from budgets.intervals import wilson
from budgets.priors import BetaPrior, decision_prior, fit_prior
from budgets.second_pass import WAVES, SecondPassState, decide_labels
from tests.benchmarks.other_gates import blocked_by

LABELS = Path(__file__).parent.parent / "data" / "llm-runs" / "bench_labels.npz"
CASES = 200
RUNS = 200
# Shares of half a percent take more runs to tell from one percent.
RUNS_OF_AIMS = 1_000
PROFILES = {"default": 1.0, "strict": 0.0}


@dataclass
class Report:
    """Checks as they are printed, and how many were broken."""

    broken: list[str] = field(default_factory=list)

    def at_most(self, name: str, value: float, bound: float, note: str = "") -> None:
        """Check that a value is not above its bound."""
        if value > bound:
            self.broken.append(name)
        word = "BAD" if value > bound else "ok "
        print(f"{word} {name:58s} {value:9.4f}  <= {bound:g}  {note}", flush=True)


@dataclass
class Rule:
    """What a rule did over many runs."""

    blocked: int = 0
    held: int = 0
    missed: int = 0

    def add(self, is_blocked: np.ndarray, is_held: np.ndarray, is_moved: np.ndarray) -> None:
        """Count one run; a moved case that is neither blocked nor held is missed."""
        self.blocked += bool((is_blocked & ~is_moved).any())
        self.held += bool((is_held & ~is_moved).any())
        self.missed += int((~is_blocked & ~is_held & is_moved).sum())


@dataclass
class Replay:
    """A replay of many runs through the product's rule and through other gates."""

    own: Rule = field(default_factory=Rule)
    others: dict[str, Rule] = field(default_factory=dict)
    moved: int = 0
    repeats: int = 0


def replay(
    labels: np.ndarray,
    history: int,
    share_moved: float | None,
    seed: int,
    fast_clear: float,
    runs: int = RUNS,
) -> Replay:
    """Replay suites drawn from real calls, with one case's label moved if ``share_moved``."""
    rng = np.random.default_rng(seed)
    kinds = int(labels.max()) + 1
    outcome = Replay()
    for _ in range(runs):
        items = rng.choice(len(labels), CASES, replace=False)
        order = rng.permutation(labels.shape[1])
        before = labels[items][:, order[:history]].astype(int)
        calls = labels[items][:, order[history : history + 1 + WAVES[-1]]].astype(int)
        known = counts_of(before, kinds)
        expected = known.argmax(axis=1)
        moved = np.zeros(CASES, dtype=bool)
        if share_moved:
            move_one(calls, expected, moved, share_moved, kinds, rng)
        failing = np.flatnonzero(calls[:, 0] != expected)
        if not len(failing):
            continue
        prior = decision_prior(history - known.max(axis=1), np.full(CASES, history))
        state = decide_run(
            outcome, calls[failing], known[failing], expected[failing], prior, fast_clear
        )
        is_moved = moved[failing]
        outcome.moved += int(is_moved.sum())
        # A second pass that the recorded calls cannot finish holds the run like an open one.
        held = np.isin(state, (SecondPassState.OPEN, SecondPassState.REPEAT))
        outcome.own.add(state == SecondPassState.MOVED, held, is_moved)
        add_other_gates(outcome, before[failing], calls[failing], expected[failing], is_moved)
    return outcome


def counts_of(labels: np.ndarray, kinds: int) -> np.ndarray:
    """Return label counts, shape (n_cases, kinds)."""
    return np.stack([(labels == kind).sum(axis=-1) for kind in range(kinds)], axis=-1)


def move_one(
    calls: np.ndarray,
    expected: np.ndarray,
    moved: np.ndarray,
    share: float,
    kinds: int,
    rng: np.random.Generator,
) -> None:
    """Relabel one case's expected answers to another label, in this share of its calls."""
    case = rng.integers(CASES)
    other = rng.choice([kind for kind in range(kinds) if kind != expected[case]])
    changed = (calls[case] == expected[case]) & (rng.random(calls.shape[1]) < share)
    calls[case][changed] = other
    moved[case] = True


def decide_run(
    outcome: Replay,
    calls: np.ndarray,
    known: np.ndarray,
    expected: np.ndarray,
    prior: BetaPrior,
    fast_clear: float,
) -> np.ndarray:
    """Let the second pass run as the service does: judge, repeat what is undecided, judge."""
    state = np.full(len(calls), int(SecondPassState.REPEAT))
    done = 0
    for wave in (0, *WAVES):
        still = np.flatnonzero(state == SecondPassState.REPEAT)
        if wave >= calls.shape[1]:
            break
        outcome.repeats += len(still) * (wave - done)
        done = wave
        if not len(still):
            break
        decisions = decide_labels(
            counts_of(calls[still][:, : wave + 1], known.shape[1]),
            known[still],
            expected[still],
            CASES,
            prior,
            fast_clear=fast_clear,
        )
        state[still] = decisions.state
    return state


def add_other_gates(
    outcome: Replay,
    before: np.ndarray,
    calls: np.ndarray,
    expected: np.ndarray,
    moved: np.ndarray,
) -> None:
    """Count what other gates would have done with the same calls."""
    held = np.zeros(len(calls), dtype=bool)
    for name, (blocked, _) in blocked_by(before, calls, expected, CASES).items():
        outcome.others.setdefault(name, Rule()).add(blocked, held, moved)


def check_arithmetic(report: Report) -> None:
    """Check the published figure: 12 divergences in 500 calls."""
    interval = wilson(12, 500)
    report.at_most("A Wilson lower", abs(float(interval.low) - 0.013781), 1e-5)
    report.at_most("A Wilson upper", abs(float(interval.high) - 0.041477), 1e-5)
    report.at_most(
        "A one per 41.67 calls", abs(float(calls_per_divergence(12, 500)) - 41.6667), 1e-3
    )
    report.at_most("A P(red), 100 calls", abs(float(chance_of_red(0.024, 100)) - 0.911899), 1e-5)
    report.at_most("A calls for 95 %", abs(float(calls_to_see(0.024)) - 123.318), 1e-2)


def check_unchanged(report: Report, sets: dict[str, np.ndarray]) -> None:
    """Check how often unchanged suites are blocked or held."""
    for name, key, history, blocked, held in (
        ("T=0 H=10", "tcs_T0", 10, 0.05, 0.20),
        ("T=0 H=20", "tcs_T0", 20, 0.03, 0.10),
        ("T=0 H=35", "tcs_T0", 35, 0.02, 0.06),
        ("T=1 H=20", "tcs_T1", 20, 0.05, 0.20),
    ):
        for profile, fast_clear in PROFILES.items():
            outcome = replay(sets[key], history, None, 1, fast_clear)
            beside = ", ".join(
                f"{gate} {r.blocked / RUNS:.2f}" for gate, r in outcome.others.items()
            )
            report.at_most(
                f"B {name} {profile}: clean runs blocked",
                outcome.own.blocked / RUNS,
                blocked,
                beside if fast_clear else "",
            )
            report.at_most(
                f"B {name} {profile}: clean runs held",
                outcome.own.held / RUNS,
                held if fast_clear else 1.7 * held,
                f"repeats per run {outcome.repeats / RUNS:.0f}",
            )


def check_moved(report: Report, sets: dict[str, np.ndarray]) -> None:
    """Check how often a moved label is missed."""
    for share, profile, bound in (
        (1.0, "default", 0.12),
        (1.0, "strict", 0.04),
        (0.6, "default", 0.45),
        (0.6, "strict", 0.40),
    ):
        outcome = replay(sets["tcs_T0"], 20, share, 2, PROFILES[profile])
        beside = ", ".join(
            f"{gate} {r.missed / outcome.moved:.2f}" for gate, r in outcome.others.items()
        )
        report.at_most(
            f"C T=0 H=20 {profile} one label moved p={share:g}: missed",
            outcome.own.missed / outcome.moved,
            bound,
            f"repeats per run {outcome.repeats / RUNS:.0f}; {beside}",
        )


def first_alarms(rate: float, cases: int, calls: int, quiet: int = 0, seed: int = 3) -> np.ndarray:
    """Return the call of the first alarm after a jump to ``rate``; infinite without one."""
    rng = np.random.default_rng(seed)
    state = monitor.initial_state(cases)
    first = np.full(cases, np.inf)
    fresh = np.ones(cases, dtype=bool)
    accepted, one = np.full(cases, 0.024), np.ones(cases)
    for call in range(quiet + calls):
        divergent = rng.random(cases) < (0.02 if call < quiet else rate)
        state = monitor.update(state, divergent, one, accepted)
        alarm = monitor.is_alarming(state)
        if call < quiet:
            fresh &= ~alarm
        else:
            first[alarm & np.isinf(first)] = call - quiet + 1
            if np.isfinite(first).all():
                break
    return first[fresh]


def check_monitor(report: Report) -> None:
    """Check false alarms and delays of the budget monitor."""
    quiet = first_alarms(0.024, 400, 4000)
    alarms = 1000 * np.isfinite(quiet).sum() / np.minimum(quiet, 4000).sum()
    report.at_most(
        "D false alarms per 1000 calls at the accepted rate", alarms, 0.2, "guaranteed <= 0.2"
    )
    for rate, bound in ((0.05, 400), (0.10, 100), (0.30, 25)):
        delay = float(np.median(first_alarms(rate, 400, 3000, 500)))
        report.at_most(f"D median delay 2.4 % -> {rate:.0%} (calls)", delay, bound)


def best_of(work: Callable[[], object], times: int = 4) -> float:
    """Return the shortest time of several, in seconds."""
    spans = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spans.append(time.perf_counter() - start)
    return min(spans)


def check_speed(report: Report) -> None:
    """Check that nothing on the hot path takes a second."""
    rng = np.random.default_rng(0)
    failing = 10_000
    history = np.zeros((failing, 6))
    history[:, 0], history[:, 1] = rng.integers(10, 500, failing), rng.integers(0, 5, failing)
    calls = rng.integers(1, 12, failing)
    flips = 1 + rng.binomial(calls - 1, 0.3)
    observed = np.zeros((failing, 6))
    observed[:, 1], observed[:, 0] = flips, calls - flips
    expected, runs = np.zeros(failing, dtype=int), rng.integers(0, 500, failing)
    prior = BetaPrior(0.1, 1.9)
    report.at_most(
        "E classify 10k failing cases (s)",
        best_of(lambda: decide_labels(observed, history, expected, 200, prior, run_ids=runs)),
        1.0,
    )
    cases = 100_000
    state, accepted = monitor.initial_state(cases), np.full(cases, 0.024)
    made = rng.integers(1, 5, cases)
    differing = rng.binomial(made, 0.02)
    report.at_most(
        "E update 100k histories (state + alarm) (s)",
        best_of(lambda: monitor.is_alarming(monitor.update(state, differing, made, accepted))),
        1.0,
    )
    long = rng.integers(5, 500, cases)
    diverged = rng.binomial(long, rng.beta(0.1, 1.9, cases))
    report.at_most(
        "E fit suite prior on 100k cases (s)", best_of(lambda: fit_prior(diverged, long)), 1.0
    )


def check_aims(report: Report, labels: np.ndarray) -> None:
    """Check the strict rule against what it is to reach, at temperature 0 and 20 calls."""
    clean = replay(labels, 20, None, 7, 0.0, RUNS_OF_AIMS)
    report.at_most("F aim: clean runs blocked", clean.own.blocked / RUNS_OF_AIMS, 0.005)
    report.at_most("F aim: clean runs held", clean.own.held / RUNS_OF_AIMS, 0.03)
    report.at_most("F aim: repeats per clean run", clean.repeats / RUNS_OF_AIMS, 123)
    moved = replay(labels, 20, 1.0, 8, 0.0, RUNS_OF_AIMS)
    report.at_most("F aim: one label moved p=1: missed", moved.own.missed / moved.moved, 0.005)


def main() -> int:
    """Run all checks."""
    report = Report()
    with np.load(LABELS) as stored:
        sets = dict(stored)
    check_arithmetic(report)
    check_unchanged(report, sets)
    check_moved(report, sets)
    check_monitor(report)
    check_speed(report)
    check_aims(report, sets["tcs_T0"])
    print(f"{len(report.broken)} broken" if report.broken else "all passed")
    return int(bool(report.broken))


if __name__ == "__main__":
    sys.exit(main())
