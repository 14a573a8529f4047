"""Where the budgets of a run's cases stand once the run is charged."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from budgets.allowances import HIGHEST_RATE, LOWEST_RATE, allowance
from budgets.checks import BoolArray, FloatArray
from budgets.monitor import SUITE_THRESHOLD, initial_state, is_alarming
from budgets.priors import BetaPrior
from budgets.terms import REPOSITORY_TERMS, Terms, Window
from budgets.windows import (
    SPENT_CONFIDENCE,
    DailyUse,
    days_until_expiry,
    days_until_spent,
    held,
    limits,
)
from triage.history.monitoring import ACCEPTANCE_CALLS
from triage.history.suite_state import suite_monitor
from triage.history.windows import days_needed, use_of_epochs, use_of_repository
from triage.models import Epoch
from triage.terms import Standing

# The allowance is passed by chance in 5 % of windows. A budget counts as spent past its limit, the
# 99 % quantile or, in a run of many cases, the one that any of them passes in 5 % of windows: with
# 200 cases the 99 % quantile alone blocked every sixth run of an unchanged suite.
ALLOWANCE_CONFIDENCE = 0.95
FALSE_ALARMS_PER_WINDOW = 0.05


@dataclass(frozen=True, slots=True)
class BudgetStanding:
    """A budget over its window: charges against the most that its rate explains.

    ``limit`` is what it may hold before it counts as spent. ``spent_in_days`` and
    ``expires_in_days`` are forecasts, ``None`` where nothing of the kind is in sight.
    """

    scope: str
    spent: int
    allowance: int
    limit: int
    calls: int
    rate_per_call: float
    standing: Standing
    window: Window
    blocks_when_spent: bool
    spent_in_days: int | None
    expires_in_days: int | None

    @property
    def is_used_up(self) -> bool:
        """Whether more diverged than the rate explains, or the monitor says it will."""
        return self.standing in {Standing.SPENT, Standing.BURNING}

    @property
    def pays(self) -> bool:
        """Whether a wording difference may still pass on this budget."""
        return not (self.is_used_up and self.blocks_when_spent)

    def as_json(self) -> dict[str, object]:
        """Return the standing as the verdict shows it."""
        return {
            "scope": self.scope,
            "spent": self.spent,
            "allowance": self.allowance,
            "limit": self.limit,
            "standing": self.standing.value,
            "calls": self.calls,
            "rate_per_call": round(self.rate_per_call, 6),
            "window": str(self.window),
            "on_spent": "block" if self.blocks_when_spent else "warn",
            "spent_in_days": self.spent_in_days,
            "expires_in_days": self.expires_in_days,
        }


@dataclass(frozen=True, slots=True)
class Account:
    """A budget to be read: its terms, and the epochs whose calls and charges it holds."""

    terms: Terms
    epochs: tuple[Epoch, ...]

    def rate(self, suite_rate: float) -> float:
        """Return the rate it is held to: its own, or that of its cases, or the suite's at first."""
        if self.terms.rate_per_call is not None:
            return self.terms.rate_per_call
        rates = [suite_rate if e.accepted_rate is None else e.accepted_rate for e in self.epochs]
        return float(np.mean(rates)) if rates else suite_rate


def account_standings(
    accounts: Sequence[Account], suite_prior: BetaPrior, family_size: int, until: datetime
) -> list[BudgetStanding]:
    """Return the standing of each account at a time.

    ``family_size`` is how many cases could be over their budgets by chance.
    """
    if not accounts:
        return []
    windows = [each.terms.window for each in accounts]
    groups = [[epoch.pk for epoch in each.epochs] for each in accounts]
    use = use_of_epochs(groups, days_needed(windows), until)
    suite_rate = float(np.clip(suite_prior.mean, LOWEST_RATE, HIGHEST_RATE))
    return _standings(
        [each.terms for each in accounts],
        use,
        np.array([each.rate(suite_rate) for each in accounts]),
        max(SPENT_CONFIDENCE, 1 - FALSE_ALARMS_PER_WINDOW / max(family_size, 1)),
        np.array([_is_burning(each) for each in accounts]),
    )


def repository_standing(repository_id: int, until: datetime) -> BudgetStanding:
    """Return the standing of the repository as a whole."""
    terms = REPOSITORY_TERMS
    use = use_of_repository(repository_id, days_needed([terms.window]), until)
    alarm = is_alarming(suite_monitor(repository_id)[None, :], SUITE_THRESHOLD)
    rate = np.array([terms.rate_per_call or HIGHEST_RATE])
    return _standings([terms], use, rate, SPENT_CONFIDENCE, alarm)[0]


def _is_burning(account: Account) -> bool:
    """Whether the monitor of any of the account's cases sees its rate risen."""
    start = initial_state(1)[0]
    state = np.array([epoch.monitor or start for epoch in account.epochs])
    return bool(is_alarming(state).any()) if len(state) else False


def _standings(
    terms: Sequence[Terms],
    use: DailyUse,
    rates: FloatArray,
    confidence: float,
    is_burning: BoolArray,
) -> list[BudgetStanding]:
    windows = [each.window for each in terms]
    counted = held(use, windows)
    spent = np.where(counted, use.charges, 0).sum(axis=1)
    calls = np.where(counted, use.calls, 0).sum(axis=1)
    # One divergence never spends a budget: with few calls its quantiles are still zero.
    allowed = np.maximum(allowance(rates, calls, ALLOWANCE_CONFIDENCE), 1)
    limit = limits(calls, rates, confidence)
    spent_in = days_until_spent(use, windows, rates, confidence)
    expires_in = days_until_expiry(use, windows)
    return [
        BudgetStanding(
            scope=each.scope,
            spent=int(spent[row]),
            allowance=int(allowed[row]),
            limit=int(limit[row]),
            calls=int(calls[row]),
            rate_per_call=float(rates[row]),
            standing=_word(spent[row], limit[row], calls[row], is_burning=bool(is_burning[row])),
            window=each.window,
            blocks_when_spent=each.blocks_when_spent,
            spent_in_days=_days(spent_in[row]),
            expires_in_days=_days(expires_in[row]),
        )
        for row, each in enumerate(terms)
    ]


def _word(spent: float, limit: int, calls: float, *, is_burning: bool) -> Standing:
    if spent > limit:
        return Standing.SPENT
    if is_burning and spent:
        return Standing.BURNING
    return Standing.TOO_FEW_CALLS if calls < ACCEPTANCE_CALLS else Standing.WITHIN


def _days(number: float) -> int | None:
    return int(number) if math.isfinite(number) else None
