"""Rates as people read them: never without n and interval."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from budgets.intervals import credible, wilson
from budgets.priors import DEFAULT_PRIOR


@dataclass(frozen=True, slots=True)
class Rate:
    """Divergences per call, as shares in [0, 1], with a 95 % credible interval."""

    divergent: int
    calls: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The observed share; 0 without calls."""
        return self.divergent / self.calls if self.calls else 0.0


def rate_of(divergent: int, calls: int) -> Rate:
    """Return the rate of counted calls.

    The interval is the kind that verdicts use, under the product's own prior: a page over one
    case does not read a whole suite to fit another.
    """
    interval = credible(divergent, calls, DEFAULT_PRIOR)
    return Rate(divergent, calls, float(interval.low), float(interval.high))


def rate_of_days(divergent: int, calls: int) -> Rate:
    """Return the rate of a few calls as they are, for charts: no prior pulls at its points."""
    interval = wilson(divergent, calls)
    return Rate(divergent, calls, float(interval.low), float(interval.high))


def rate_from(stored: Mapping[str, Any]) -> Rate:
    """Return a rate as a verdict document holds it."""
    return Rate(stored["divergent"], stored["calls"], stored["low"], stored["high"])
