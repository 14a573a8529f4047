"""What a dialect is: how it is told, and the rules in which it departs from the plain reading."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from triage.parse.report import Result
from triage.parse.xml_stream import Attributes, RawCase, RawChild, RawDocument
from triage.terms import Merge


@dataclass(frozen=True, slots=True)
class Traits:
    """What a document shows of the tool that wrote it."""

    document: RawDocument
    root: Attributes
    suite: Attributes
    first_case: Attributes
    # Names of the properties of all suites.
    properties: frozenset[str]

    @property
    def root_name(self) -> str:
        """The name of the outermost <testsuites>."""
        return self.root.get("name", "")

    @property
    def suite_name(self) -> str:
        """The name of the first <testsuite>."""
        return self.suite.get("name", "")


@dataclass(frozen=True, slots=True)
class Group:
    """The entries of one identity within one suite, in document order."""

    raws: Sequence[RawCase]
    results: Sequence[Result]
    # Whether every identity of the document occurs equally often.
    is_uniform: bool


Predicate = Callable[[Traits], bool]
MergeRule = Callable[[Group], Merge]


def rows(group: Group) -> Merge:
    """Entries of one name are data rows or a collision of names, never retries."""
    return Merge.ROWS


def retries(group: Group) -> Merge:
    """Entries of one name are attempts in order."""
    return Merge.RETRY


def no_skip(child: RawChild) -> bool:
    """An error is an error."""
    return False


@dataclass(frozen=True, slots=True)
class Dialect:
    """A tool's way of writing JUnit XML. The defaults are the plain reading."""

    name: str
    is_it: Predicate
    # What several entries of one identity are.
    merge: MergeRule = rows
    # A retry that passed leaves no trace, so "no flakes" proves nothing.
    hides_retries: bool = False
    # A case that was skipped and failed did what it was expected to.
    skipped_beats_failed: bool = False
    # Rows that nothing tells apart are one test, which failed when any row did.
    joins_rows: bool = False
    # All but the last of several attempts look like passes and were failures.
    blanks_are_failures: bool = False
    # Failures are listed before passes, whatever their order in time.
    lists_failures_first: bool = False
    # Repetitions carry their number in the name: t[1-3], t[2-3], t[3-3].
    numbers_repetitions: bool = False
    # Errors that say "not run".
    is_skip: Callable[[RawChild], bool] = no_skip
    # Reason of a skip that hides a broken test.
    broken_skip: str = ""
    # The counter of errors on the root counts what no element tells of.
    lost_errors: str = ""
    # Says what evidence of LLM calls the reporter leaves out, and the line that adds it.
    missing_evidence: str = ""
