"""The budgets of a repository's cases: which epochs each holds, and how used up it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from budgets.terms import CASE_TERMS
from triage.history.suites import suite_history
from triage.models import Case, Epoch
from triage.verdict.standings import Account, BudgetStanding, account_standings

# A case that was not charged for longer than this uses up nothing.
CHARGED_WITHIN = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class UsedBudget:
    """The budget of a case that was charged lately."""

    case: Case
    standing: BudgetStanding

    @property
    def used(self) -> float:
        """Share of the limit that is used; above 1 when it is spent."""
        return self.standing.spent / self.standing.limit


def accounts_of(epochs: Sequence[Epoch]) -> list[Account]:
    """Return the budget that pays for each epoch, in order."""
    return [Account(CASE_TERMS, (epoch,)) for epoch in epochs]


def used_budgets(repository_id: int, until: datetime) -> list[UsedBudget]:
    """Return the budgets that were charged lately, the most used up first."""
    epochs = list(
        Epoch.objects.filter(
            repository_id=repository_id,
            charges__at__gt=until - CHARGED_WITHIN,
            charges__at__lte=until,
        )
        .select_related("case")
        .distinct()
    )
    suite = suite_history(repository_id)
    standings = account_standings(accounts_of(epochs), suite.wording_prior, len(suite.slots), until)
    used = [
        UsedBudget(epoch.case, standing)
        for epoch, standing in zip(epochs, standings, strict=True)
        if standing.spent
    ]
    return sorted(used, key=lambda each: (-each.used, each.case.title))
