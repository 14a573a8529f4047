"""Decide on a suite's own flips whether its margins may be used at all."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from budgets.checks import FloatArray, as_counts
from budgets.near_tie import Margins, flip_probability, margin_noise
from budgets.priors import BetaPrior, posterior_mean

# With fewer flips the comparison of the two forecasts is chance.
FEWEST_FLIPS_TO_CHECK = 30
# A forecast is never held surer than this, so that one surprise does not decide the comparison.
SUREST_FORECAST = 1e-6


@dataclass(frozen=True, slots=True)
class MarginCheck:
    """Whether margins forecast a suite's flips better than counts do.

    Losses are sums in nats over ``calls``, ``flips`` those that both forecasts were held against.
    """

    calls: int
    flips: int
    margin_loss: float
    count_loss: float

    def __add__(self, other: "MarginCheck") -> "MarginCheck":
        """Return the check over both stretches of calls."""
        return MarginCheck(
            self.calls + other.calls,
            self.flips + other.flips,
            self.margin_loss + other.margin_loss,
            self.count_loss + other.count_loss,
        )

    @property
    def passes(self) -> bool:
        """Whether margins may be used for this suite."""
        return self.flips >= FEWEST_FLIPS_TO_CHECK and self.margin_loss < self.count_loss


def check_margins(
    margins: Margins,
    divergent: npt.ArrayLike,
    calls: npt.ArrayLike,
    later_divergent: npt.ArrayLike,
    later_calls: npt.ArrayLike,
    prior: BetaPrior,
) -> MarginCheck:
    """Hold the forecasts of margins and of counts against the flips that came after them.

    Parameters
    ----------
    margins : Margins
        Moments of the earlier part of each case's history.
    divergent, calls : array_like of int, shape (n_cases,)
        Flips out of the calls of the same earlier part.
    later_divergent, later_calls : array_like of int, shape (n_cases,)
        Flips out of calls of the later part.
    prior : BetaPrior
        The suite's prior of the flip rate, for the forecast from counts.

    Returns
    -------
    MarginCheck
        Its ``passes`` is false below 30 later flips.

    Raises
    ------
    ValueError
        If counts are not legal.

    Notes
    -----
    Log loss of the two forecasts summed over the later calls; lower is better. Each forecast is
    made before its calls, so the losses of successive runs add up to one check [1]_.

    References
    ----------
    .. [1] A. P. Dawid, "Present position and potential developments: some personal views:
       statistical theory: the prequential approach", Journal of the Royal Statistical Society
       A 147(2), 1984.

    Examples
    --------
    >>> margins = Margins(np.array([5, 5]), np.array([0.0, 40.0]), np.array([1.0, 321.0]))
    >>> check = check_margins(margins, [1, 1], [5, 5], [40, 0], [80, 80], BetaPrior(0.1, 1.9))
    >>> check.passes, check.flips
    (True, 40)
    """
    x, n = as_counts(later_divergent, later_calls)
    noise = margin_noise(margins)
    by_counts = posterior_mean(divergent, calls, prior)
    by_margins = flip_probability(margins, noise) if noise > 0 else np.full(x.shape, 0.5)
    return MarginCheck(
        calls=int(n.sum()),
        flips=int(x.sum()),
        margin_loss=_log_loss(by_margins, x, n),
        count_loss=_log_loss(by_counts, x, n),
    )


def _log_loss(forecast: FloatArray, divergent: FloatArray, calls: FloatArray) -> float:
    p = np.clip(forecast, SUREST_FORECAST, 1 - SUREST_FORECAST)
    return float(-(divergent * np.log(p) + (calls - divergent) * np.log1p(-p)).sum())
