"""The budgets that a repository has: those it starts with, and the one that holds for a scope."""

from dataclasses import dataclass
from datetime import timedelta

from budgets.models import Budget

# The published average over 500 calls. It fits no single case, so the repository only warns.
REPOSITORY_RATE = 0.024
WINDOW_DAYS = 30


@dataclass(frozen=True, slots=True)
class Terms:
    """What a budget grants: a rate per call over a window, and what happens when it is spent.

    ``rate_per_call`` is ``None`` where each case has its own accepted rate.
    """

    rate_per_call: float | None
    window: timedelta
    blocks_when_spent: bool


def open_budgets(repository_id: int) -> None:
    """Give a new repository the budgets that hold until a policy says otherwise."""
    Budget.objects.bulk_create(
        [
            Budget(repository_id=repository_id, scope="case", window_days=WINDOW_DAYS),
            Budget(
                repository_id=repository_id,
                scope="repository",
                rate_per_call=REPOSITORY_RATE,
                window_days=WINDOW_DAYS,
                on_spent="warn",
            ),
        ],
        ignore_conflicts=True,
    )


def case_terms(repository_id: int) -> Terms:
    """Return the terms of every case's own budget."""
    return _terms(Budget.objects.get(repository_id=repository_id, scope="case", match="**"))


def repository_terms(repository_id: int) -> Terms:
    """Return the terms of the repository as a whole."""
    return _terms(Budget.objects.get(repository_id=repository_id, scope="repository"))


def _terms(budget: Budget) -> Terms:
    return Terms(
        budget.rate_per_call,
        timedelta(days=budget.window_days),
        blocks_when_spent=budget.on_spent == "block",
    )
