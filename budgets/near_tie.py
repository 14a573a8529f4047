"""Read near ties off the margins of a case's labels, once the suite's own check allows it.

Off until `budgets.margin_check` passes: behind reasoning the answer's token is always near
certain, and its margin tells nothing. Labels that are emitted without it have margins worth
reading.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from budgets.checks import BoolArray, FloatArray, IntArray

# Within so many standard deviations two labels cannot be told apart.
NEAR_TIE_SDS = 3.0
# Tails of real noise are heavier than Gaussian; with Student's t of 5 degrees, simulated noise of
# either kind blocked no unchanged suite.
TAIL_DEGREES = 5
FALSE_BLOCKS_PER_RUN = 0.05


@dataclass(frozen=True, slots=True)
class Margins:
    """Moments of the signed margins of cases, in nats; arrays of shape (n_cases,).

    Parameters
    ----------
    calls : ndarray of int
        Calls with a recorded margin, at least 1.
    total, total_of_squares : ndarray of float
        Sums of the margins and of their squares.

    Raises
    ------
    ValueError
        If a case has no call.

    Examples
    --------
    >>> Margins(np.array([2]), np.array([3.0]), np.array([5.0])).mean.tolist()
    [1.5]
    """

    calls: npt.NDArray[np.int64]
    total: FloatArray
    total_of_squares: FloatArray

    def __post_init__(self) -> None:
        if np.any(np.asarray(self.calls) < 1):
            raise ValueError(
                "margins need at least one call per case, "
                f"got {int(np.min(self.calls))}; leave such cases out"
            )

    @property
    def mean(self) -> FloatArray:
        """Mean margin per case: positive where the expected label is ahead."""
        return np.asarray(self.total / self.calls)


class MarginReading(IntEnum):
    """What one margin says of its case."""

    NOISE = 0
    MOVED = 1
    UNCLEAR = 2


def signed_margin(gap: npt.ArrayLike, is_expected: npt.ArrayLike) -> FloatArray:
    """Return margins with the sign of agreement.

    Parameters
    ----------
    gap : array_like of float >= 0, shape (...)
        Log-probability gap of the two best labels, in nats, as a report states it.
    is_expected : array_like of bool, shape (...)
        Whether the best label was the expected one.

    Returns
    -------
    ndarray of shape (...)
        Positive where the expected label was ahead.

    Raises
    ------
    ValueError
        If a gap is negative.

    Examples
    --------
    >>> signed_margin([0.2, 0.1], [True, False]).tolist()
    [0.2, -0.1]
    """
    gaps = np.asarray(gap, dtype=float)
    if np.any(gaps < 0):
        raise ValueError(f"a margin's gap must not be negative, got {gaps.min():g}")
    return np.where(np.asarray(is_expected, dtype=bool), gaps, -gaps)


def margin_noise(margins: Margins) -> float:
    """Return the noise of a suite's margins, pooled over its cases.

    Parameters
    ----------
    margins : Margins
        Moments per case.

    Returns
    -------
    float >= 0
        Standard deviation in nats of a margin around its case's mean; 0 when no case was called
        twice.

    Notes
    -----
    ``sigma^2 = sum_t sum_i (m_ti - mbar_t)^2 / sum_t (n_t - 1)``: one endpoint has one noise,
    whatever the prompt.

    Examples
    --------
    >>> round(margin_noise(Margins(np.array([2]), np.array([3.0]), np.array([5.0]))), 4)
    0.7071
    """
    within = np.maximum(margins.total_of_squares - margins.total**2 / margins.calls, 0.0)
    degrees = int((margins.calls - 1).sum())
    return float(np.sqrt(within.sum() / degrees)) if degrees else 0.0


def flip_probability(margins: Margins, noise: float) -> FloatArray:
    """Return each case's chance that its next call shows another label.

    Parameters
    ----------
    margins : Margins
        Moments per case.
    noise : float > 0
        From `margin_noise`.

    Returns
    -------
    ndarray of shape (n_cases,)
        ``Phi(-mbar / (sigma sqrt(1 + 1/n)))``.

    Raises
    ------
    ValueError
        If the noise is not positive.

    Examples
    --------
    >>> flip_probability(Margins(np.array([4]), np.array([0.0]), np.array([1.0])), 0.5).tolist()
    [0.5]
    """
    return np.asarray(special.ndtr(-margins.mean / _spread(margins, noise)))


def is_near_tie(margins: Margins, noise: float) -> BoolArray:
    """Return which cases' two best labels cannot be told apart.

    Parameters
    ----------
    margins, noise
        As for `flip_probability`.

    Returns
    -------
    ndarray of bool, shape (n_cases,)
        Whether the mean margin lies within three standard deviations of zero.

    Raises
    ------
    ValueError
        If the noise is not positive.

    Examples
    --------
    >>> margins = Margins(np.array([1, 1]), np.array([0.2, 9.0]), np.array([0.04, 81.0]))
    >>> is_near_tie(margins, 0.1).tolist()
    [True, False]
    """
    return np.asarray(np.abs(margins.mean) < NEAR_TIE_SDS * _checked(noise))


def read_margin(
    margin: npt.ArrayLike, margins: Margins, noise: float, family_size: npt.ArrayLike
) -> IntArray:
    """Return what one new margin per case says, without any repeats.

    Parameters
    ----------
    margin : array_like of float, shape (n_cases,)
        Signed margin of this run's call.
    margins, noise
        As for `flip_probability`; the history before this run.
    family_size : array_like of int >= 1, shape () or (n_cases,)
        Cases of the run with a margin.

    Returns
    -------
    ndarray of int, shape (n_cases,)
        Codes of `MarginReading`: MOVED beyond the t quantile at 5 % per run, NOISE within three
        standard deviations, UNCLEAR between them or where the margin grew.

    Raises
    ------
    ValueError
        If the noise is not positive or a family has no case.

    Examples
    --------
    >>> margins = Margins(np.array([9, 9, 9]), np.array([9.0] * 3), np.array([9.0] * 3))
    >>> [MarginReading(code).name for code in read_margin([0.9, -3.0, 0.5], margins, 0.1, 200)]
    ['NOISE', 'MOVED', 'UNCLEAR']
    """
    family = np.asarray(family_size, dtype=float)
    if np.any(family < 1):
        raise ValueError(f"a family must hold at least one case, got {family.min():g}")
    z = (np.asarray(margin, dtype=float) - margins.mean) / _spread(margins, noise)
    limit = stats.t.ppf(FALSE_BLOCKS_PER_RUN / family, TAIL_DEGREES)
    reading = np.full(z.shape, int(MarginReading.UNCLEAR))
    reading[np.abs(z) < NEAR_TIE_SDS] = MarginReading.NOISE
    reading[(z < limit) & (z <= -NEAR_TIE_SDS)] = MarginReading.MOVED
    return reading


def _spread(margins: Margins, noise: float) -> FloatArray:
    """Return the standard deviation of a new margin around the mean of n old ones."""
    return np.asarray(_checked(noise) * np.sqrt(1 + 1 / margins.calls))


def _checked(noise: float) -> float:
    if not noise > 0:
        raise ValueError(
            f"noise must be positive, got {noise:g}; it takes a case that was called twice"
        )
    return noise
