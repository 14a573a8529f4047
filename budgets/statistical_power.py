"""How many divergences it takes to see an association, before anybody reads a p-value."""

import math

from scipy import stats

# Chance of a false finding over all covariates, and of seeing what is there.
SIGNIFICANCE = 0.05
POWER = 0.80


def divergences_needed(odds_ratio: float, exposure: float, tests: int = 1) -> int:
    """Return the divergences that show an association in four of five suites that have it.

    Parameters
    ----------
    odds_ratio : float > 1
        How much higher the odds of a divergence are on the level in question.
    exposure : float in (0, 1)
        Share of calls made on that level.
    tests : int >= 1
        Covariates looked at; each gets its part of the 5 %.

    Returns
    -------
    int
        Divergent calls, whatever the number of calls.

    Raises
    ------
    ValueError
        If a number is outside its range.

    Notes
    -----
    ``(z_alpha + z_beta)^2 / (s (1 - s) log(odds_ratio)^2)`` for rare divergences, two-sided.

    References
    ----------
    .. [1] D. Schoenfeld, "Sample-size formula for the proportional-hazards regression model",
       Biometrics 39(2), 1983.

    Examples
    --------
    >>> [divergences_needed(2, share, tests=5) for share in (0.5, 0.2, 0.1)]
    [98, 152, 271]
    """
    if not odds_ratio > 1:
        raise ValueError(f"odds_ratio must be above 1, got {odds_ratio:g}")
    if not 0 < exposure < 1:
        raise ValueError(f"exposure must lie in (0, 1), got {exposure:g}")
    if tests < 1:
        raise ValueError(f"tests must be at least 1, got {tests}")
    z = stats.norm.isf(SIGNIFICANCE / tests / 2) + stats.norm.ppf(POWER)
    return math.ceil(float(z) ** 2 / (exposure * (1 - exposure) * math.log(odds_ratio) ** 2))
