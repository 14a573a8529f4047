"""Which rule of a policy holds for a case, and the sentence that says so."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from triage.policy.document import BudgetRule, LabelRule, Policy
from triage.policy.globs import SEPARATOR, Glob, compile_glob

# "tests.evals.test_refunds.TestRefund": modules, then classes, which begin with a capital.
DOTTED = re.compile(r"(?P<modules>[a-z_]\w*(?:\.[a-z_]\w*)*)(?P<classes>(?:\.[A-Z]\w*)*)")
SLASHABLE = re.compile(r"\w+(?:\.\w+)+")
# A repository's cases lie in far fewer files; beyond this a hostile report fills the memory.
MOST_PATHS_KEPT = 50_000


class NamedCase(Protocol):
    """What is needed of a case: the row of the table has it, and so has a report's entry."""

    @property
    def title(self) -> str:
        """What people read: file::class::name."""

    @property
    def file(self) -> str:
        """The file as the report told it, or nothing."""

    @property
    def classname(self) -> str:
        """The class name as the report told it, or nothing."""

    @property
    def name(self) -> str:
        """The name with its parameters."""


@dataclass(frozen=True, slots=True)
class CaseNames:
    """The names of a case that has no row."""

    title: str
    file: str
    classname: str
    name: str


class Rule(Protocol):
    """Anything that says which cases it holds for."""

    @property
    def match(self) -> str:
        """The pattern."""


@dataclass(frozen=True, slots=True)
class LlmRule:
    """One entry of ``llm_tests``."""

    match: str


AnyRule = TypeVar("AnyRule", bound=Rule)


@dataclass(frozen=True, slots=True)
class RuleMatch(Generic[AnyRule]):
    """A rule that holds for a case: the one at ``index`` (from 0) among ``of`` in its section."""

    rule: AnyRule
    section: str
    index: int
    of: int

    @property
    def pattern(self) -> str:
        """The pattern that matched."""
        return self.rule.match

    @property
    def sentence(self) -> str:
        """Say which rule matched and why."""
        place = f"{self.section}[{self.index}]"
        return f"rule {self.index + 1} of {self.of}, {place}, matched {self.pattern}"


class RuleMatcher(Generic[AnyRule]):
    """The rules of one section, compiled once for many cases.

    Cases of one file share what its path was held against, so that the work grows with the number
    of files times rules, plus the number of cases.
    """

    def __init__(self, section: str, rules: Sequence[AnyRule]) -> None:
        self._globs: list[Glob] = [compile_glob(rule.match) for rule in rules]
        self._matches = [
            RuleMatch(rule, section, index, len(rules)) for index, rule in enumerate(rules)
        ]
        self._by_path: dict[str, tuple[int, ...]] = {}

    @property
    def rules(self) -> Sequence[RuleMatch[AnyRule]]:
        """Every rule with its place, whether it matches anything or not."""
        return self._matches

    def first(self, case: NamedCase) -> RuleMatch[AnyRule] | None:
        """Return the first rule that matches a case, or ``None``."""
        if not self._globs:
            return None
        found = [
            index
            for path, name in spellings(case)
            for index in self._fitting(path)
            if self._globs[index].fits_name(name)
        ]
        return self._matches[min(found)] if found else None

    def _fitting(self, path: str) -> tuple[int, ...]:
        known = self._by_path.get(path)
        if known is None:
            known = tuple(index for index, glob in enumerate(self._globs) if glob.fits_path(path))
            if len(self._by_path) < MOST_PATHS_KEPT:
                self._by_path[path] = known
        return known


def llm_rules(policy: Policy) -> RuleMatcher[LlmRule]:
    """Return the matcher of ``llm_tests``."""
    return RuleMatcher("llm_tests", [LlmRule(pattern) for pattern in policy.llm_tests])


def budget_rules(policy: Policy) -> RuleMatcher[BudgetRule]:
    """Return the matcher of ``budgets``."""
    return RuleMatcher("budgets", policy.budgets)


def label_rules(policy: Policy) -> RuleMatcher[LabelRule]:
    """Return the matcher of ``labels``."""
    return RuleMatcher("labels", policy.labels)


def spellings(case: NamedCase) -> Iterator[tuple[str, str]]:
    """Yield the ways to write a case as (path, class and name).

    A reporter that tells a dotted class name only still means a file: pytest's
    ``tests.evals.test_refunds`` is ``tests/evals/test_refunds.py``.
    """
    path, _, name = case.title.partition(SEPARATOR)
    yield path, name
    if case.file:
        yield case.file, case.name
    if case.classname:
        yield case.classname, case.name
        yield from _dotted_spellings(case.classname, case.name)


def _dotted_spellings(classname: str, name: str) -> Iterable[tuple[str, str]]:
    dotted = DOTTED.fullmatch(classname)
    if dotted:
        classes = [each for each in dotted["classes"].split(".") if each]
        yield dotted["modules"].replace(".", "/") + ".py", SEPARATOR.join([*classes, name])
    if SLASHABLE.fullmatch(classname):
        yield classname.replace(".", "/"), name
