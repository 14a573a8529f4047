"""Refuse numbers that are no counts, rates or confidences, and say what is legal."""

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


def as_counts(divergent: npt.ArrayLike, calls: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return divergent calls and calls as arrays; divergent calls are some of the calls."""
    x, n = np.asarray(divergent, dtype=float), np.asarray(calls, dtype=float)
    for counts in (x, n):
        wrong = ~(counts >= 0)
        if np.any(wrong):
            raise ValueError(f"counts must not be negative, got {_shown(counts[wrong].flat[0])}")
    wrong = x > n
    if np.any(wrong):
        both = np.broadcast_arrays(x, n)
        got = " of ".join(_shown(counts[wrong].flat[0]) for counts in both)
        raise ValueError(f"divergent calls must not exceed calls, got {got}")
    return x, n


def as_rate(rate: npt.ArrayLike, *, is_open: bool = False) -> FloatArray:
    """Return a rate as an array; with ``is_open`` the ends 0 and 1 are refused too."""
    p = np.asarray(rate, dtype=float)
    wrong = ~((p > 0) & (p < 1)) if is_open else ~((p >= 0) & (p <= 1))
    if np.any(wrong):
        bounds = "(0, 1)" if is_open else "[0, 1]"
        raise ValueError(f"rate must lie in {bounds}, got {_shown(p[wrong].flat[0])}")
    return p


def check_confidence(confidence: float) -> None:
    """Refuse a confidence outside (0, 1)."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie in (0, 1), got {confidence}")


def _shown(value: Any) -> str:
    return f"{float(value):g}"
