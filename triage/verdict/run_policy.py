"""A repository's policy as a run is judged by it."""

from datetime import timedelta

from budgets.terms import CASE_TERMS, Terms, Window
from triage.models import Case
from triage.policy.document import BudgetRule
from triage.policy.matching import budget_rules, label_rules
from triage.policy.spellings import duration
from triage.policy.stored import PolicyInForce
from triage.policy.tie_breaks import Escalate, Threshold
from triage.terms import Difference, FindingKind
from triage.verdict.questions import Question
from triage.verdict.rules import HOLDING
from triage.verdict.tie_breaks import BLOCK, DEFAULT_TIE_BREAK, TieBreak


class RunPolicy:
    """Answers what the policy in force says of a case, a flip and a finding."""

    def __init__(self, in_force: PolicyInForce) -> None:
        self.in_force = in_force
        self._budgets = budget_rules(in_force.policy)
        self._labels = label_rules(in_force.policy)

    @property
    def quiet(self) -> timedelta | None:
        """How long no part may come before a run without a number of parts is complete."""
        quiet = self.in_force.policy.completion.quiet
        return duration(quiet) if quiet else None

    @property
    def reruns_failed_jobs(self) -> bool:
        """Whether the forge is asked for second passes."""
        starts_by = self.in_force.policy.second_pass
        return starts_by == "rerun_failed_jobs"

    @property
    def deadline(self) -> timedelta:
        """How long a run waits for the parts that it told of."""
        return duration(self.in_force.policy.completion.deadline)

    def terms(self, case: Case) -> Terms:
        """Return the terms of the budget that pays for a case."""
        matched = self._budgets.first(case)
        return _terms(matched.rule) if matched else CASE_TERMS

    def shares_budget(self, case: Case) -> bool:
        """Whether a case shares its budget with all cases that match the same pattern."""
        matched = self._budgets.first(case)
        return matched is not None and matched.rule.shared

    def label_set(self, case: Case) -> frozenset[str]:
        """Return the closed set of a case's labels, as far as the policy names one."""
        matched = self._labels.first(case)
        return frozenset(matched.rule.set) if matched else frozenset()

    def tie_break(self, question: Question) -> TieBreak:
        """Return the tie-break of a question: that of its first flip, critical if any flip is."""
        matched = self._labels.first(question.result.case)
        if matched is None or question.difference is not Difference.LABEL:
            return DEFAULT_TIE_BREAK
        pairs = [(flip.expected or "", flip.observed or "") for flip in question.flips]
        touched = {label for pair in pairs for label in pair}
        critical = sorted(touched & set(matched.rule.critical))
        registered = matched.rule.tie_break_of(*pairs[0]) or BLOCK
        return TieBreak(registered, critical[0] if critical else "", matched.sentence)

    @property
    def holding(self) -> frozenset[FindingKind]:
        """The findings that hold a run. A near tie always does; no key speaks of it."""
        gate = self.in_force.policy.gate
        kinds = set(HOLDING)
        if gate.undecided == "neutral":
            kinds.discard(FindingKind.UNDECIDED)
        if gate.provider_error == "hold":
            kinds.add(FindingKind.PROVIDER_ERROR)
        if gate.inherited == "hold":
            kinds.add(FindingKind.INHERITED)
        return frozenset(kinds)

    def named_owner(self, tie_break: TieBreak) -> str:
        """Return whom a tie-break names to be asked; empty where it names nobody."""
        registered = tie_break.registered
        return (registered.to if isinstance(registered, Escalate | Threshold) else None) or ""

    @property
    def default_owner(self) -> str:
        """Who is asked where nobody else is named; empty without a policy."""
        return self.in_force.policy.owners.default if self.in_force.sha256 else ""

    def due(self, tie_break: TieBreak) -> timedelta:
        """Return how long a person may take to answer."""
        registered = tie_break.registered
        told = registered.due_in if isinstance(registered, Escalate | Threshold) else None
        return told or self.in_force.policy.escalations.due_in


def _terms(rule: BudgetRule) -> Terms:
    return Terms(
        scope=rule.match if rule.shared else "case",
        rate_per_call=rule.rate,
        window=Window(days=rule.window_days, calls=rule.window_calls),
        blocks_when_spent=rule.on_spent == "block",
    )
