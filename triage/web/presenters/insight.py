"""What the history of a case, or of a whole repository, lets one say beyond its rates."""

from collections.abc import Sequence
from dataclasses import dataclass

from budgets.attribution import Association
from triage.history.attribution import associations_of_case, associations_of_repository
from triage.history.conditions import conditions_of_case, conditions_of_repository
from triage.history.counsel import counsel
from triage.models import Case, Epoch
from triage.web.presenters.conditions import ConditionTable, condition_table


@dataclass(frozen=True, slots=True)
class CaseInsight:
    """Conditions, associations and advice of one case."""

    conditions: ConditionTable
    associations: Sequence[Association]
    advice: Sequence[str]


@dataclass(frozen=True, slots=True)
class RepositoryInsight:
    """Conditions and associations of all LLM cases together."""

    conditions: ConditionTable
    associations: Sequence[Association]


def case_insight(case: Case, epoch: Epoch) -> CaseInsight:
    """Return what can be said of a case under its newest epoch; a handful of queries."""
    conditions = conditions_of_case(case, epoch)
    found = associations_of_case(case)
    return CaseInsight(
        condition_table(conditions),
        found,
        counsel(conditions, epoch, found),
    )


def repository_insight(repository_id: int) -> RepositoryInsight:
    """Return what can be said of a repository; a handful of queries."""
    return RepositoryInsight(
        condition_table(conditions_of_repository(repository_id)),
        associations_of_repository(repository_id),
    )
