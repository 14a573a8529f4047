"""The budgets of a repository's cases: which epochs each holds, and how used up it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from budgets.terms import Terms
from triage.history.suites import suite_history
from triage.models import Case, Epoch
from triage.policy.stored import policy_in_force
from triage.verdict.run_policy import RunPolicy
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


def accounts_of(epochs: Sequence[tuple[Case, Epoch]], policy: RunPolicy) -> list[Account]:
    """Return the budget that pays for each case under its epoch, in order."""
    shared = _shared_accounts(epochs, policy)
    accounts = []
    for case, epoch in epochs:
        terms = policy.terms(case)
        accounts.append(shared.get(terms) or Account(terms, (epoch,)))
    return accounts


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
    policy = RunPolicy(policy_in_force(repository_id))
    accounts = accounts_of([(epoch.case, epoch) for epoch in epochs], policy)
    standings = account_standings(accounts, suite.wording_prior, len(suite.slots), until)
    used = [
        UsedBudget(epoch.case, standing)
        for epoch, standing in zip(epochs, standings, strict=True)
        if standing.spent
    ]
    return sorted(used, key=lambda each: (-each.used, each.case.title))


def _shared_accounts(
    epochs: Sequence[tuple[Case, Epoch]], policy: RunPolicy
) -> dict[Terms, Account]:
    """Return the budgets that several cases share, with the newest epoch of each of them."""
    sharing = {policy.terms(case) for case, _ in epochs if policy.shares_budget(case)}
    if not sharing:
        return {}
    repository_id = epochs[0][0].repository_id
    newest: dict[int, Epoch] = {}
    of_repository = Epoch.objects.filter(repository_id=repository_id, case__is_llm=True)
    for epoch in of_repository.select_related("case").order_by("number"):
        newest[epoch.case_id] = epoch
    members: dict[Terms, list[Epoch]] = {terms: [] for terms in sharing}
    for epoch in newest.values():
        terms = policy.terms(epoch.case)
        if terms in members and policy.shares_budget(epoch.case):
            members[terms].append(epoch)
    return {terms: Account(terms, tuple(each)) for terms, each in members.items()}
