"""The policy of a repository: what is in force, what was refused, which rule matches which case."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page
from django.http import QueryDict

from triage.models import Case, Repository, StoredPolicy
from triage.policy.document import Policy
from triage.policy.matching import RuleMatch, RuleMatcher, budget_rules, label_rules, llm_rules
from triage.policy.stored import PolicyInForce, last_refusal, policy_in_force
from triage.web.presenters.pagination import page_of

CASES_PER_PAGE = 50
LONGEST_SEARCH = 200


@dataclass(frozen=True, slots=True)
class CaseRules:
    """A case with the rules that hold for it; empty where none does."""

    case: Case
    budget: str
    labels: str


@dataclass(frozen=True, slots=True)
class PolicyPage:
    """What the page of a policy shows."""

    repository: Repository
    in_force: PolicyInForce
    refused: StoredPolicy | None
    idle: Sequence[str]
    search: str
    cases: Page[Case]
    rows: Sequence[CaseRules]


def policy_page(repository: Repository, parameters: QueryDict) -> PolicyPage:
    """Read a repository's policy; five queries, however many cases and rules it has."""
    in_force = policy_in_force(repository.pk)
    budgets, labels = budget_rules(in_force.policy), label_rules(in_force.policy)
    search = parameters.get("q", "")[:LONGEST_SEARCH]
    every = Case.objects.filter(repository=repository, is_llm=True).order_by("title")
    cases = page_of(every.filter(title__icontains=search), parameters, CASES_PER_PAGE)
    return PolicyPage(
        repository=repository,
        in_force=in_force,
        refused=last_refusal(repository.pk),
        idle=_idle(list(every), in_force.policy),
        search=search,
        cases=cases,
        rows=[
            CaseRules(each, _sentence(budgets.first(each)), _sentence(labels.first(each)))
            for each in cases
        ],
    )


def idle_rules(repository: Repository, policy: Policy) -> list[str]:
    """Return the rules of a policy that hold for no LLM case of a repository; one query."""
    return _idle(list(Case.objects.filter(repository=repository, is_llm=True)), policy)


def _sentence(match: RuleMatch[Any] | None) -> str:
    return match.sentence if match else ""


def _idle(cases: Sequence[Case], policy: Policy) -> list[str]:
    """Return the rules that hold for no case: a typing error, or one that is left over."""
    matchers: tuple[RuleMatcher[Any], ...] = (
        llm_rules(policy),
        budget_rules(policy),
        label_rules(policy),
    )
    idle = []
    for matcher in matchers:
        used = {match.index for case in cases if (match := matcher.first(case))}
        idle += [
            f"{rule.section}[{rule.index}], {rule.pattern}"
            for rule in matcher.rules
            if rule.index not in used
        ]
    return idle
