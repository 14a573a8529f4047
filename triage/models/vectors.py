"""Outcome, duration and call vectors of a part: one small number per case slot, deflated."""

import zlib
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from triage.terms import Outcome

Codes = npt.NDArray[np.uint8]
Groups = npt.NDArray[np.uint32]
# PostgreSQL hands a binary column out as a view.
Packed = bytes | memoryview

# One step of a log duration is 5 %: 0.1 ms is code 1 and code 255 is about half a minute short
# of a day, which covers every test in one byte.
SHORTEST_S = 1e-4
STEP = 1.0845


class Code(IntEnum):
    """How a case ended in a part, as stored. 0 means that the part does not hold the case."""

    ABSENT = 0
    PASSED = 1
    FAILED = 2
    ERRORED = 3
    SKIPPED = 4
    PASSED_AFTER_RETRY = 5


CODE_OF_OUTCOME = {
    Outcome.PASSED: Code.PASSED,
    Outcome.FAILED: Code.FAILED,
    Outcome.ERRORED: Code.ERRORED,
    Outcome.SKIPPED: Code.SKIPPED,
}


def pack(vector: npt.NDArray[np.unsignedinteger]) -> bytes:
    """Deflate a vector; the many equal neighbours of a report take next to nothing."""
    return zlib.compress(vector.tobytes(), level=1)


def unpack_codes(packed: Packed, slots: int) -> Codes:
    """Return outcome or duration codes for at least this many slots."""
    return _unpack(packed, slots, np.dtype(np.uint8))


def unpack_groups(packed: Packed, slots: int) -> Groups:
    """Return the numbers of shared calls for at least this many slots."""
    return _unpack(packed, slots, np.dtype(np.uint32))


def duration_codes(durations_s: npt.ArrayLike) -> Codes:
    """Return one byte per duration; 0 stands for "not told" (NaN)."""
    seconds = np.asarray(durations_s, dtype=float)
    steps = 1 + np.log(np.maximum(seconds, SHORTEST_S) / SHORTEST_S) / np.log(STEP)
    told = np.where(np.isnan(seconds), 0, np.clip(np.nan_to_num(steps), 1, 255))
    return np.rint(told).astype(np.uint8)


def durations_s(codes: Codes) -> npt.NDArray[np.float64]:
    """Return seconds per duration code, NaN where none was told."""
    return np.where(codes == 0, np.nan, SHORTEST_S * STEP ** (codes.astype(float) - 1))


def overlay(first: Codes, later: Codes) -> Codes:
    """Return the outcomes after a later attempt: where it holds a case, it has the last word."""
    slots = max(len(first), len(later))
    return np.where(
        _padded(later, slots) != Code.ABSENT, _padded(later, slots), _padded(first, slots)
    )


def _unpack(packed: Packed, slots: int, dtype: np.dtype) -> npt.NDArray:  # type: ignore[type-arg]
    stored = np.frombuffer(zlib.decompress(packed), dtype) if packed else np.zeros(0, dtype)
    return _padded(stored, slots)


def _padded(vector: npt.NDArray, slots: int) -> npt.NDArray:  # type: ignore[type-arg]
    missing = max(slots - len(vector), 0)
    return np.concatenate([vector, np.zeros(missing, vector.dtype)])
