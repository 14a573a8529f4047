"""Time the statistics beside the prototype that they were written from, in the same run.

Each row: the product's best of five, the prototype's where it has the same function, their ratio;
then whether both agree in their numbers. Exits 1 when a row is too slow or disagrees.
"""

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from scipy import special

from budgets import monitor
from budgets.e_values import binary_log_e, label_log_e
from budgets.intervals import credible, wilson
from budgets.priors import BetaPrior, fit_prior
from budgets.run_count import burst_tilt, failure_count
from budgets.second_pass import decide_labels
from budgets.stratified import stratified_test

PROTOTYPE = Path("../shared/stats")
# Nothing on the path of an upload may take a second, for ten thousand failing cases or a hundred
# thousand histories.
MOST_SECONDS = 1.0
ROUNDS = 5
CASES = 100_000
FAILING = 10_000
PRIOR = BetaPrior(0.1, 1.9)

Work = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """One function of the product, and the prototype's where it has the same.

    ``difference`` tells from both answers how far they are apart.
    """

    name: str
    product: Work
    prototype: Work | None = None
    difference: Callable[[Any, Any], float] | None = None
    tolerance: float = 1e-6


@dataclass(frozen=True)
class Data:
    """Seeded inputs that all rows share."""

    divergent: np.ndarray
    calls: np.ndarray
    state: np.ndarray
    accepted: np.ndarray
    history: np.ndarray
    observed: np.ndarray
    runs: np.ndarray

    @property
    def expected(self) -> np.ndarray:
        """The column of the expected label, the first for all failing cases."""
        return np.zeros(len(self.history), dtype=int)


def data() -> Data:
    """Draw histories of many cases and the repeats of some failing ones."""
    rng = np.random.default_rng(0)
    calls = rng.integers(5, 500, CASES)
    history = np.zeros((FAILING, 6))
    history[:, 0], history[:, 1] = rng.integers(10, 500, FAILING), rng.integers(0, 5, FAILING)
    made = 1 + rng.choice([0, 3, 6, 10], FAILING)
    flips = 1 + rng.binomial(made - 1, 0.3)
    observed = np.zeros((FAILING, 6))
    observed[:, 1], observed[:, 0] = flips, made - flips
    return Data(
        divergent=rng.binomial(calls, rng.beta(0.1, 1.9, CASES)),
        calls=calls,
        state=monitor.initial_state(CASES),
        accepted=np.full(CASES, 0.024),
        history=history,
        observed=observed,
        runs=rng.integers(0, 500, FAILING),
    )


def rows(given: Data, prototype: ModuleType | None) -> list[Row]:
    """Return what is timed."""
    return [
        *_rows_of_rates(given, prototype),
        *_rows_of_decisions(given, prototype),
        *_rows_of_runs(given, prototype),
    ]


def _rows_of_rates(given: Data, prototype: ModuleType | None) -> list[Row]:
    x, n = given.divergent, given.calls
    two = given.calls[: CASES // 2 * 2].reshape(-1, 2)
    return [
        Row(
            "100k Wilson intervals",
            lambda: wilson(x, n),
            prototype and (lambda: prototype.wilson(x, n)),
            lambda ours, theirs: float(np.abs(ours.high - theirs[1]).max()),
        ),
        Row("100k credible intervals", lambda: credible(x, n, PRIOR)),
        Row(
            "fit the prior of 100k cases",
            lambda: fit_prior(x, n),
            prototype and (lambda: prototype.fit_beta(x, n)),
            lambda ours, theirs: abs(ours.a - theirs[0]) + abs(ours.b - theirs[1]),
            # The prototype's maximum is found without slopes, and less exactly.
            tolerance=1e-3,
        ),
        Row("attribution over 50k cases", lambda: stratified_test(two // 50, two)),
    ]


def _rows_of_decisions(given: Data, prototype: ModuleType | None) -> list[Row]:
    seen, past, column = given.observed, given.history, given.expected
    failing, made = seen[:, 1], seen.sum(axis=1)
    return [
        Row(
            "label evidence of 10k failing cases",
            lambda: label_log_e(seen, past, column, PRIOR),
            prototype and (lambda: prototype.log_bf_label(past, seen, column, PRIOR.a, PRIOR.b)),
            lambda ours, theirs: float(np.abs(ours - theirs).max()),
        ),
        Row(
            "binary evidence of 10k failing cases",
            lambda: binary_log_e(failing, made, past[:, 1], past.sum(axis=1), PRIOR),
        ),
        Row(
            "decide 10k failing cases of 500 runs",
            lambda: decide_labels(seen, past, column, 200, PRIOR, run_ids=given.runs),
            prototype
            and (
                lambda: prototype.classify(
                    past, seen, column, given.runs, 200, PRIOR.a, PRIOR.b, fast_clear=0.0
                )
            ),
            lambda ours, theirs: float(np.abs(ours.log_e - theirs[1]).max()),
        ),
    ]


def _rows_of_runs(given: Data, prototype: ModuleType | None) -> list[Row]:
    one = np.minimum(given.divergent, 1)
    rates = np.full(200, 0.024)
    weights = None if prototype is None else prototype.BURN_W
    return [
        Row(
            "update 100k monitors and read their alarms",
            lambda: _alarms(given, one),
            prototype
            and (
                lambda: (
                    special.logsumexp(
                        prototype.sr_update(given.state, one, 1, given.accepted),
                        b=weights,
                        axis=1,
                    )
                    >= np.log(monitor.THRESHOLD)
                )
            ),
            lambda ours, theirs: float((ours != theirs).sum()),
        ),
        Row("failures of a run of 200", lambda: failure_count(rates, 12)),
        Row("failures of a run of 20,000", lambda: failure_count(np.full(20_000, 0.024), 500)),
        Row(
            "burst tilt of a run of 200",
            lambda: burst_tilt(rates, 20),
            prototype and (lambda: prototype.burst_tilt(20, rates)),
            lambda ours, theirs: abs(ours - theirs),
        ),
    ]


def _alarms(given: Data, divergent: np.ndarray) -> np.ndarray:
    moved = monitor.update(given.state, divergent, np.ones(CASES), given.accepted)
    return monitor.is_alarming(moved)


def best_seconds(work: Work) -> float:
    """Return the shortest time of several: the one that nothing else disturbed."""
    spans = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        spans.append(time.perf_counter() - start)
    return min(spans)


def print_row(row: Row) -> bool:
    """Time and print one row; return whether it is in order."""
    ours = best_seconds(row.product)
    is_good = ours <= MOST_SECONDS
    beside = f"{'-':>11} {'-':>6}"
    if row.prototype and row.difference:
        theirs = best_seconds(row.prototype)
        apart = row.difference(row.product(), row.prototype())
        is_good &= apart < row.tolerance
        beside = f"{1000 * theirs:8.1f} ms {ours / theirs:6.2f}  apart by {apart:.1e}"
    word = "ok " if is_good else "BAD"
    print(f"{word} {row.name:44s} {1000 * ours:8.1f} ms {beside}", flush=True)
    return is_good


def load_prototype(folder: Path) -> ModuleType | None:
    """Return the prototype's module, or nothing where there is none."""
    path = folder / "flakestats.py"
    if not path.is_file():
        print(f"no prototype at {path}: its column is left out; name its folder with --prototype")
        return None
    spec = importlib.util.spec_from_file_location("flakestats", path)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> int:
    """Time every row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prototype", type=Path, default=PROTOTYPE, help="folder of flakestats.py")
    prototype = load_prototype(parser.parse_args().prototype)
    print(f"    {'':44s} {'product':>11} {'prototype':>11} {'ratio':>6}")
    results = [print_row(row) for row in rows(data(), prototype)]
    print("all within bounds" if all(results) else f"{results.count(False)} broken")
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
