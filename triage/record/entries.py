"""The cases of one upload, each once, whatever number of files and entries tell of it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from triage.parse.identity import case_key
from triage.parse.report import NO_EVIDENCE, Report, Result
from triage.terms import Merge, Outcome

WORST_OUTCOME_FIRST = (Outcome.ERRORED, Outcome.FAILED, Outcome.PASSED, Outcome.SKIPPED)


# Not frozen, as the results it holds are not: making one would take twice as long.
@dataclass(slots=True)
class Entry:
    """One case of an upload under its key."""

    key: str
    result: Result
    hides_retries: bool
    missing_evidence: str = ""

    @property
    def is_llm(self) -> bool:
        """Whether the report told anything of an LLM call."""
        return any(attempt.evidence is not NO_EVIDENCE for attempt in self.result.tries)

    @property
    def is_plain_pass(self) -> bool:
        """Whether there is nothing to keep but that it passed, or was skipped."""
        result = self.result
        if result.outcome.is_failing or len(result.tries) > 1:
            return False
        if result.outcome is Outcome.SKIPPED:
            return True
        observations = result.tries[0].evidence.observations if result.tries else ()
        return all(each.expected in (None, each.observed) for each in observations)


def entries_of(reports: Iterable[Report]) -> list[Entry]:
    """Return one entry per case; files that hold the same case are merged."""
    entries: dict[str, Entry] = {}
    for report in reports:
        for result in report.results:
            key = case_key(result.case)
            known = entries.get(key)
            merged = _merged(known.result, result) if known else result
            entries[key] = Entry(key, merged, report.hides_retries, report.missing_evidence)
    return list(entries.values())


def _merged(first: Result, second: Result) -> Result:
    """Merge two files' results of a case: the worse outcome holds, since neither is a retry."""
    outcomes = {first.outcome, second.outcome}
    worst = next(outcome for outcome in WORST_OUTCOME_FIRST if outcome in outcomes)
    return replace(first, outcome=worst, tries=(*first.tries, *second.tries), merge=Merge.ROWS)
