"""What other gates would make of the same calls: each blocks a failing case or lets it pass."""

import numpy as np
from scipy import stats

# Codecov calls a case flaky that failed within its last 30 runs.
CODECOV_RUNS = 30
FISHER_CALLS = 5


def fisher_p_values(failures: np.ndarray, past: np.ndarray, history: int) -> np.ndarray:
    """Return the chance of so many failures in five calls if nothing changed."""
    return np.asarray(
        stats.hypergeom.sf(failures - 1, history + FISHER_CALLS, past + failures, FISHER_CALLS)
    )


def blocked_by(
    before: np.ndarray, calls: np.ndarray, expected: np.ndarray, family: int
) -> dict[str, tuple[np.ndarray, int]]:
    """Return which failing cases each gate blocks, and how many repeats it takes for all of them.

    ``before`` holds the labels of the history, ``calls`` those of the first call and its repeats,
    a row per failing case of a run of ``family`` cases.
    """
    failed = calls != expected[:, None]
    past = (before != expected[:, None]).sum(axis=1)
    history = before.shape[1]
    recent = (before[:, -CODECOV_RUNS:] != expected[:, None]).any(axis=1)
    p = fisher_p_values(failed[:, :FISHER_CALLS].sum(axis=1), past, history)
    ranks = np.argsort(np.argsort(p)) + 1
    # Benjamini and Hochberg's step-up: the largest p below its line and all smaller ones.
    line = np.where(p <= 0.05 * ranks / family, p, -1.0).max(initial=-1.0)
    first_pass = np.where(failed[:, 1], 2, 1)
    cases = len(failed)
    return {
        "retry until pass (2)": (failed[:, :3].all(axis=1), int(first_pass.sum())),
        "Codecov 30-pass window": (~recent, 0),
        "known flaky, else 5 retries": (
            (past == 0) & failed[:, :6].all(axis=1),
            5 * int((past == 0).sum()),
        ),
        "failing rate >= 5 %": (past / history < 0.05, 0),
        "Fisher p < .05 (4 repeats)": (p < 0.05, 4 * cases),
        "Fisher + BH (4 repeats)": (p <= line, 4 * cases),
        "majority 2 of 3": (failed[:, :3].sum(axis=1) >= 2, 2 * cases),
    }
