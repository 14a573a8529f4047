"""Ask GitHub for the deliveries that did not come in: it never repeats one by itself.

https://docs.github.com/webhooks/using-webhooks/automatically-redelivering-failed-deliveries-for-a-github-app-webhook
"""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import takewhile

from triage.models import HookPass, WebhookDelivery
from triage.publish.app import App, github_app
from triage.publish.forge import ForgeError
from triage.publish.github.app_api import HookDelivery, read_deliveries, redeliver
from triage.publish.installations import read_all

logger = logging.getLogger(__name__)

# GitHub redelivers what is at most this old.
KEPT = timedelta(days=3)
# What GitHub listed late for the pass before.
OVERLAP = timedelta(minutes=10)
# Of a hundred deliveries each.
MOST_PAGES = 20
# After a long outage the rest is left to the next pass.
MOST_REDELIVERIES = 200


def redeliver_failed(now: datetime) -> int:
    """Redeliver what failed since the last pass, each once a pass; return how many there were.

    A redelivery that fails is listed anew and asked for by the next pass, until it succeeds or is
    older than GitHub keeps it.
    """
    app = github_app()
    if app is None:
        return 0
    last, _ = HookPass.objects.get_or_create(app_id=app.app_id, defaults={"until": now - KEPT})
    since = max(last.until - OVERLAP, now - KEPT)
    try:
        listed = read_deliveries(app.key, MOST_PAGES)
        lost = _lost(takewhile(lambda each: each.at >= since, listed))
        for each in lost[:MOST_REDELIVERIES]:
            redeliver(app.key, each.id)
    except ForgeError as error:
        # The next pass begins where this one did.
        logger.warning("failed deliveries cannot be asked for: %s", error)
        return 0
    left = lost[MOST_REDELIVERIES:]
    last.until = left[0].at if left else now
    last.save(update_fields=["until"])
    return len(lost) - len(left)


def mend_installations() -> int:
    """Read where the App is installed, which deliveries may have told in part or out of order."""
    app: App | None = github_app()
    try:
        return read_all(app) if app else 0
    except ForgeError as error:
        logger.warning("installations cannot be read: %s", error)
        return 0


def _lost(deliveries: Iterable[HookDelivery]) -> list[HookDelivery]:
    """Return the newest try of each delivery that never came in, the oldest first."""
    newest: dict[str, HookDelivery] = {}
    good: set[str] = set()
    for each in deliveries:
        newest.setdefault(each.guid, each)
        if each.is_good:
            good.add(each.guid)
    came_in = WebhookDelivery.objects.filter(delivery_id__in=newest.keys() - good)
    known = good | set(came_in.values_list("delivery_id", flat=True))
    return sorted(
        (each for guid, each in newest.items() if guid not in known), key=lambda each: each.at
    )
