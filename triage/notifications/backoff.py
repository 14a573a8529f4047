"""How long to wait before a message is tried again."""

from datetime import timedelta
from random import SystemRandom

# With seven waits that triple from 80 s a message is tried for a day: long enough for a receiver
# that is down overnight, and no longer than anybody would still want to read it.
MOST_TRIES = 8
FIRST_WAIT_S = 80.0
FACTOR = 3.0
# Spread, so that what failed together does not come back together.
JITTER = 0.2
LONGEST_WAIT = timedelta(days=1)

_random = SystemRandom()


def wait_after(tries: int, asked_s: float | None) -> timedelta:
    """Return the wait after this many tries, at least what the receiver asked for."""
    spread = _random.uniform(1 - JITTER, 1 + JITTER)
    own = FIRST_WAIT_S * FACTOR ** (tries - 1) * spread
    return min(timedelta(seconds=max(own, asked_s or 0.0)), LONGEST_WAIT)
