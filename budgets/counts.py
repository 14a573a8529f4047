"""Divergent calls out of all calls: the one reading that every rate is made of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """Divergent calls out of all calls.

    Parameters
    ----------
    divergent : int
        Calls that differed, at least 0.
    calls : int
        All calls, at least ``divergent``.

    Raises
    ------
    ValueError
        If a count is negative or more calls diverged than were made.

    Examples
    --------
    >>> Counts(divergent=12, calls=500).share
    0.024
    """

    divergent: int
    calls: int

    def __post_init__(self) -> None:
        if not 0 <= self.divergent <= self.calls:
            raise ValueError(
                "divergent calls must lie between 0 and calls, "
                f"got {self.divergent} of {self.calls}"
            )

    @property
    def share(self) -> float:
        """Divergent calls per call; 0 without calls."""
        return self.divergent / self.calls if self.calls else 0.0
