"""Where the budgets of a run's cases stand once the run is charged."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from budgets.accounts import Terms, case_terms, repository_terms
from budgets.allowances import HIGHEST_RATE, LOWEST_RATE, allowance
from budgets.ledger import spent_by_case, spent_by_repository
from budgets.monitor import initial_state, is_alarming
from budgets.priors import BetaPrior
from triage.history.monitoring import ACCEPTANCE_CALLS
from triage.history.windows import calls_by_epoch, calls_of_repository
from triage.models import Epoch
from triage.terms import Standing

# The allowance is passed by chance in 5 % of windows. A budget counts as spent past its limit, the
# 99 % quantile or, in a run of many cases, the one that any of them passes in 5 % of windows: with
# 200 cases the 99 % quantile alone blocked every sixth run of an unchanged suite.
ALLOWANCE_CONFIDENCE = 0.95
LIMIT_CONFIDENCE = 0.99
FALSE_ALARMS_PER_WINDOW = 0.05


@dataclass(frozen=True, slots=True)
class BudgetStanding:
    """A budget over its window: charges against the most that its rate explains.

    ``limit`` is what it may hold before it counts as spent.
    """

    scope: str
    spent: int
    allowance: int
    limit: int
    calls: int
    rate_per_call: float
    standing: Standing

    @property
    def pays(self) -> bool:
        """Whether the budget still pays for a wording difference."""
        return self.standing in {Standing.WITHIN, Standing.TOO_FEW_CALLS}

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
        }


def case_standings(
    repository_id: int,
    epochs: Sequence[Epoch],
    suite_prior: BetaPrior,
    family_size: int,
    until: datetime,
) -> dict[int, BudgetStanding]:
    """Return the standing of each epoch's case budget, by epoch id.

    ``family_size`` is how many cases could be over their budgets by chance.
    """
    if not epochs:
        return {}
    terms = case_terms(repository_id)
    calls = calls_by_epoch([epoch.pk for epoch in epochs], until, terms.window)
    cases = [epoch.case_id for epoch in epochs]
    spent = spent_by_case(repository_id, cases, until - terms.window, until)
    suite_rate = float(np.clip(suite_prior.mean, LOWEST_RATE, HIGHEST_RATE))
    alarms = is_alarming(np.array([epoch.monitor or initial_state(1)[0] for epoch in epochs]))
    confidence = max(LIMIT_CONFIDENCE, 1 - FALSE_ALARMS_PER_WINDOW / max(family_size, 1))
    return {
        epoch.pk: _standing(
            "case",
            spent.get(epoch.case_id, 0),
            calls.get(epoch.pk, 0),
            _rate(terms, epoch, suite_rate),
            confidence,
            is_burning=bool(alarm),
        )
        for epoch, alarm in zip(epochs, alarms, strict=True)
    }


def repository_standing(repository_id: int, until: datetime) -> BudgetStanding:
    """Return the standing of the repository as a whole."""
    terms = repository_terms(repository_id)
    return _standing(
        "repository",
        spent_by_repository(repository_id, until - terms.window, until),
        calls_of_repository(repository_id, until, terms.window),
        terms.rate_per_call or HIGHEST_RATE,
        LIMIT_CONFIDENCE,
        is_burning=False,
    )


def _rate(terms: Terms, epoch: Epoch, suite_rate: float) -> float:
    """Return the rate that a case is held to: the budget's, its own, or the suite's at first."""
    if terms.rate_per_call is not None:
        return terms.rate_per_call
    return suite_rate if epoch.accepted_rate is None else epoch.accepted_rate


def _standing(
    scope: str, spent: int, calls: int, rate: float, confidence: float, *, is_burning: bool
) -> BudgetStanding:
    # One divergence never spends a budget: with few calls its quantiles are still zero.
    allowed = max(int(allowance(rate, calls, ALLOWANCE_CONFIDENCE)), 1)
    limit = max(int(allowance(rate, calls, confidence)), 1)
    word = Standing.TOO_FEW_CALLS if calls < ACCEPTANCE_CALLS else Standing.WITHIN
    if is_burning and spent:
        word = Standing.BURNING
    if spent > limit:
        word = Standing.SPENT
    return BudgetStanding(scope, spent, allowed, limit, calls, rate, word)
