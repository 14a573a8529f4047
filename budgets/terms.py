"""What a budget grants: a rate per call over a window, and what happens when it is spent."""

from dataclasses import dataclass

# The published average over 500 calls. It fits no single case, so the repository only warns.
REPOSITORY_RATE = 0.024
# What lies further back than this says nothing of today; charges are kept as long.
LONGEST_WINDOW_DAYS = 400
DEFAULT_WINDOW_DAYS = 30


@dataclass(frozen=True, slots=True)
class Window:
    """The stretch of a history that counts: its last days, or the days of its last calls.

    Exactly one of ``days`` and ``calls`` is given. A nightly suite and one that runs on each
    commit age at their own pace: a window of calls fits both.

    Raises
    ------
    ValueError
        If both or none are given, or one is not positive.

    Examples
    --------
    >>> str(Window(days=30)), str(Window(calls=500))
    ('30 days', '500 calls')
    """

    days: int | None = None
    calls: int | None = None

    def __post_init__(self) -> None:
        if (self.days is None) == (self.calls is None):
            raise ValueError(f"a window has days or calls, got {self.days} and {self.calls}")
        if (self.days or self.calls or 0) < 1:
            raise ValueError(f"a window must not be empty, got {self}")

    def __str__(self) -> str:
        return f"{self.days} days" if self.calls is None else f"{self.calls} calls"


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one budget.

    ``rate_per_call`` is ``None`` where a case is held to its own accepted rate. ``scope`` is
    "case", "repository", or the pattern of cases that share the budget.
    """

    scope: str
    rate_per_call: float | None
    window: Window
    blocks_when_spent: bool


CASE_TERMS = Terms("case", None, Window(days=DEFAULT_WINDOW_DAYS), blocks_when_spent=True)
REPOSITORY_TERMS = Terms(
    "repository", REPOSITORY_RATE, Window(days=DEFAULT_WINDOW_DAYS), blocks_when_spent=False
)
