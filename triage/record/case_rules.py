"""What a policy says of the cases of an upload before any of them is recorded."""

from triage.policy.document import Policy
from triage.policy.matching import CaseNames, label_rules, llm_rules
from triage.record.entries import Entry
from triage.record.titles import title_of


class CaseRules:
    """Answers which cases call an LLM by policy, and which labels theirs are."""

    def __init__(self, policy: Policy) -> None:
        self.renames = policy.renames
        self._llm = llm_rules(policy)
        self._labels = label_rules(policy)

    def is_llm(self, entry: Entry) -> bool:
        """Whether a case calls an LLM: its report tells of it, or the policy says so."""
        return entry.is_llm or self._llm.first(_names(entry)) is not None

    def label_set(self, entry: Entry) -> tuple[str, ...]:
        """Return the closed set of labels that the policy names for a case, if it names one."""
        matched = self._labels.first(_names(entry))
        return matched.rule.set if matched else ()


def _names(entry: Entry) -> CaseNames:
    case = entry.result.case
    return CaseNames(title_of(case), case.file, case.classname, case.name)
