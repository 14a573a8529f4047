"""What a policy says of the cases of an upload before any of them is recorded."""

from dataclasses import dataclass

from triage.parse.report import CaseName
from triage.policy.document import Policy
from triage.policy.matching import label_rules, llm_rules
from triage.record.entries import Entry
from triage.record.titles import title_of


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of a reported case; the title is made when a rule asks for it, which is seldom."""

    case: CaseName

    @property
    def title(self) -> str:
        return title_of(self.case)

    @property
    def file(self) -> str:
        return self.case.file

    @property
    def classname(self) -> str:
        return self.case.classname

    @property
    def name(self) -> str:
        return self.case.name


class CaseRules:
    """Answers which cases call an LLM by policy, and which labels theirs are."""

    def __init__(self, policy: Policy) -> None:
        self.renames = policy.renames
        self._llm = llm_rules(policy)
        self._labels = label_rules(policy)

    def is_llm(self, entry: Entry) -> bool:
        """Whether a case calls an LLM: its report tells of it, or the policy says so."""
        if entry.is_llm or not self._llm.rules:
            return entry.is_llm
        return self._llm.first(_Names(entry.result.case)) is not None

    def label_set(self, entry: Entry) -> tuple[str, ...]:
        """Return the closed set of labels that the policy names for a case, if it names one."""
        if not self._labels.rules:
            return ()
        matched = self._labels.first(_Names(entry.result.case))
        return matched.rule.set if matched else ()
