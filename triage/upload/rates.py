"""How many requests a caller may send: counted in the database, so that all processes agree.

The generic cell rate algorithm: a request is let in while the caller's earlier ones, each worth its
share of a minute, are worked off within a minute. One statement decides and counts.
"""

import math
import time

from django.conf import settings
from django.db.models import F, Value
from django.db.models.functions import Greatest

from triage.errors import RateLimitedError
from triage.models import RequestRate

BURST_S = 60.0


def count_request(repository_id: int, caller: str) -> None:
    """Count a request of a caller; raise ``RateLimitedError`` when there were too many.

    A request that is refused is not counted.
    """
    limit = settings.RATE_LIMIT_PER_MINUTE
    if not limit:
        return
    share, now = BURST_S / limit, time.time()
    latest = now + BURST_S - share
    mine = RequestRate.objects.filter(repository_id=repository_id, caller=caller)
    busy_until = Greatest(F("busy_until"), Value(now)) + Value(share)
    if mine.filter(busy_until__lte=latest).update(busy_until=busy_until):
        return
    made, is_new = RequestRate.objects.get_or_create(
        repository_id=repository_id, caller=caller, defaults={"busy_until": now + share}
    )
    if not is_new:
        _refuse(made.busy_until - latest, limit)


def _refuse(seconds: float, limit: int) -> None:
    pause = max(1, math.ceil(seconds))
    raise RateLimitedError(
        f"more than {limit} requests came within a minute; send the next one in {pause} s, and "
        "ask with ?wait= instead of again and again",
        retry_after=pause,
    )
