"""A budget as a gauge: what is used, what is allowed, where it ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from triage.terms import Standing
from triage.web.presenters.badges import STANDINGS, Badge


@dataclass(frozen=True, slots=True)
class Gauge:
    """A budget's standing; lengths are percentages of the gauge's width."""

    spent: int
    allowance: int
    # What the budget may hold before it counts as spent.
    limit: int
    calls: int | None
    rate_per_call: float | None
    window: str
    warns_only: bool
    # Forecasts in days; None when nothing of the kind is in sight.
    spent_in_days: int | None
    expires_in_days: int | None
    badge: Badge
    used_width: float
    allowance_at: float

    @property
    def pays(self) -> bool:
        """Whether the budget has no word of warning to say."""
        return self.badge is STANDINGS[Standing.WITHIN]


def gauge(standing: Mapping[str, Any]) -> Gauge:
    """Return the gauge of a standing as a verdict document holds it."""
    spent, allowance = standing["spent"], standing["allowance"]
    limit = standing.get("limit", allowance)
    full = max(spent, limit, 1)
    return Gauge(
        spent=spent,
        allowance=allowance,
        limit=limit,
        calls=standing.get("calls"),
        rate_per_call=standing.get("rate_per_call"),
        window=standing.get("window", ""),
        warns_only=standing.get("on_spent") == "warn",
        spent_in_days=standing.get("spent_in_days"),
        expires_in_days=standing.get("expires_in_days"),
        badge=STANDINGS[Standing(standing["standing"])],
        used_width=round(100 * spent / full, 1),
        allowance_at=round(100 * allowance / full, 1),
    )


def stored_gauge(standing: Mapping[str, Any] | None) -> Gauge | None:
    """Return the gauge of what a document holds, if it holds a standing."""
    return gauge(standing) if standing else None
