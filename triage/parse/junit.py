"""Read one JUnit document into results, by the rules of its dialect."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from triage.parse.bounded_text import cut_middle
from triage.parse.dialects import Dialect, Traits, detect
from triage.parse.durations import read_seconds
from triage.parse.evidence import is_evidence, read_evidence, with_defaults
from triage.parse.identity import identity_parts, repository_path
from triage.parse.limits import Limits
from triage.parse.report import (
    NO_EVIDENCE,
    CaseName,
    Evidence,
    Failure,
    ReadWarning,
    Report,
    Result,
    Totals,
    Try,
)
from triage.parse.xml_stream import (
    OUTPUT_TAGS,
    RETRY_TAGS,
    RawCase,
    RawChild,
    RawDocument,
    RawSuite,
)
from triage.terms import Merge, Outcome

PASSED = Try(Outcome.PASSED)
PASSED_ONCE = (PASSED,)
# What runners write for a case that they did not run, where others write <skipped/>.
NOT_RUN = frozenset({"notrun", "disabled", "suppressed", "ignored", "pending", "skipped"})
# pytest-repeat: "t[2-3]" is repetition 2 of 3, "t[a-2-3]" the same of t[a].
REPETITION = re.compile(r"^(?P<stem>.*?)\[(?:(?P<parameters>.*)-)?(?P<index>\d+)-(?P<count>\d+)\]$")


@dataclass(slots=True)
class _Entry:
    """One <testcase> with its reading."""

    raw: RawCase
    name: CaseName
    tries: tuple[Try, ...]
    outcome: Outcome
    duration_s: float | None


class DocumentReader:
    """Turns one raw document into a report."""

    def __init__(self, file: str, document: RawDocument, limits: Limits) -> None:
        self._document = document
        self._limits = limits
        self._defaults: dict[int, Evidence] = {}
        self.report = Report(file, "junit")

    def read(self) -> Report:
        """Return the report."""
        names = [self._name(raw) for raw in self._document.cases]
        traits = _traits(self._document, names)
        dialect = detect(traits)
        self.report.dialect = dialect.name
        self.report.hides_retries = dialect.hides_retries
        entries = [
            self._entry(raw, name, dialect)
            for raw, name in zip(self._document.cases, names, strict=True)
        ]
        merged = _merge(entries, dialect, traits)
        self.report.totals = _totals(merged)
        self.report.results = [*_merge_repetitions(merged), *self._suite_results()]
        self._check_counters(len(entries))
        return self.report

    def _name(self, raw: RawCase) -> CaseName:
        attributes = raw.attributes
        return CaseName(
            raw.suite.path,
            repository_path(attributes["file"]) if attributes.get("file") else "",
            attributes.get("classname", ""),
            attributes.get("name", ""),
        )

    def _entry(self, raw: RawCase, name: CaseName, dialect: Dialect) -> _Entry:
        duration_s = read_seconds(raw.attributes.get("time"))
        evidence = self._evidence(raw)
        is_plain = not raw.children and evidence is NO_EVIDENCE
        if is_plain and not NOT_RUN.intersection(_status(raw)):
            return _Entry(raw, name, PASSED_ONCE, Outcome.PASSED, duration_s)
        outcome = _outcome(raw, dialect)
        tries = self._tries(raw, outcome, duration_s, evidence)
        return _Entry(raw, name, tries, outcome, duration_s)

    def _tries(
        self, raw: RawCase, outcome: Outcome, duration_s: float | None, evidence: Evidence
    ) -> tuple[Try, ...]:
        """Return the attempts: those of retry elements, and the one that the entry itself is.

        Surefire writes the first failure as <failure> and the later ones as <rerunFailure>, but
        the failures before a pass as <flakyFailure>.
        """
        own = tuple(self._failure(child) for child in raw.children if _is_failing(child))
        output = "".join(child.body for child in raw.children if child.tag in OUTPUT_TAGS)
        final = Try(outcome, duration_s, own, evidence, output)
        retried = [child for child in raw.children if child.tag in RETRY_TAGS]
        others = tuple(self._retried(child) for child in retried)
        return (*others, final) if outcome is Outcome.PASSED else (final, *others)

    def _retried(self, child: RawChild) -> Try:
        failure = self._failure(child)
        return Try(failure.outcome, read_seconds(child.attributes.get("time")), (failure,))

    def _failure(self, child: RawChild) -> Failure:
        limits = self._limits
        message = child.attributes.get("message", "")
        body = child.body
        length = child.text.length if child.text else 0
        if not body.strip():
            body, length = message, len(message)
        return Failure(
            Outcome.ERRORED if child.tag.lower().endswith("error") else Outcome.FAILED,
            child.attributes.get("type", "")[: limits.name],
            message[: limits.attribute],
            cut_middle(body, limits.text_head, limits.text_tail),
            length,
        )

    def _evidence(self, raw: RawCase) -> Evidence:
        """Return what the case tells, with its suites' word where it tells nothing."""
        defaults = self._suite_evidence(raw.suite)
        if not raw.properties:
            return defaults
        evidence, problems = read_evidence(raw.properties)
        name = raw.attributes.get("name", "")[:200]
        self.report.warnings += [ReadWarning(f"{name}: {problem}") for problem in problems]
        return with_defaults(evidence, defaults) if evidence is not NO_EVIDENCE else defaults

    def _suite_evidence(self, suite: RawSuite | None) -> Evidence:
        if suite is None:
            return NO_EVIDENCE
        known = self._defaults.get(id(suite))
        if known is None:
            known = self._read_suite_evidence(suite)
            self._defaults[id(suite)] = known
        return known

    def _read_suite_evidence(self, suite: RawSuite) -> Evidence:
        above = self._suite_evidence(suite.parent)
        told = [(name, value) for name, value in suite.properties if is_evidence(name)]
        if not told:
            return above
        evidence, problems = read_evidence(told)
        self.report.warnings += [ReadWarning(f"suite: {problem}") for problem in problems]
        return with_defaults(evidence, above)

    def _suite_results(self) -> list[Result]:
        """Return one failing result per suite that failed without a case, such as a lost class."""
        return [
            self._suite_result(suite)
            for suite in self._document.suites
            if any(_is_failing(child) for child in suite.results)
        ]

    def _suite_result(self, suite: RawSuite) -> Result:
        failures = tuple(self._failure(child) for child in suite.results if _is_failing(child))
        name = CaseName(suite.path, "", "", f"{suite.path[-1] if suite.path else ''} (suite)")
        outcome = failures[0].outcome
        return Result(name, outcome, None, (Try(outcome, None, failures),))

    def _check_counters(self, entries: int) -> None:
        told = [_count(suite.attributes.get("tests")) for suite in self._document.suites]
        if not entries and any(told):
            self.report.warnings.append(
                ReadWarning("the report holds counters and no test case: only totals are known")
            )
        if not entries and not any(told):
            self.report.warnings.append(ReadWarning("the report holds no test"))


def _status(raw: RawCase) -> tuple[str, ...]:
    attributes = raw.attributes
    return attributes.get("status", "").lower(), attributes.get("result", "").lower()


def _is_failing(child: RawChild) -> bool:
    return child.tag in {"failure", "error"}


def _outcome(raw: RawCase, dialect: Dialect) -> Outcome:
    tags = {child.tag for child in raw.children}
    skips = any(child.tag == "error" and dialect.is_skip(child) for child in raw.children)
    if skips or ("skipped" in tags and dialect.skipped_beats_failed):
        return Outcome.SKIPPED
    if "error" in tags:
        return Outcome.ERRORED
    if "failure" in tags:
        return Outcome.FAILED
    is_not_run = "skipped" in tags or NOT_RUN.intersection(_status(raw))
    return Outcome.SKIPPED if is_not_run else Outcome.PASSED


def _traits(document: RawDocument, names: Sequence[CaseName]) -> Traits:
    suites = document.suites
    root = suites[0].attributes if suites and document.root == "testsuites" else {}
    inner = next((suite for suite in suites if suite.path), None)
    return Traits(
        document,
        root.get("name", ""),
        inner.attributes.get("name", "") if inner else "",
        frozenset(name for suite in suites for name, _ in suite.properties),
        document.cases[0].attributes if document.cases else {},
        Counter(identity_parts(name) for name in names),
    )


def _merge(entries: Sequence[_Entry], dialect: Dialect, traits: Traits) -> list[Result]:
    """Return results in document order, entries of one case merged as the dialect says."""
    if len(traits.repetition) == len(entries):
        return [_result(entry) for entry in entries]
    groups: dict[tuple[str, ...], list[_Entry]] = {}
    for entry in entries:
        groups.setdefault(identity_parts(entry.name), []).append(entry)
    return [result for group in groups.values() for result in _merge_group(group, dialect, traits)]


def _merge_group(group: list[_Entry], dialect: Dialect, traits: Traits) -> list[Result]:
    if len(group) == 1:
        return [_result(group[0])]
    raws = [entry.raw for entry in group]
    tries = [attempt for entry in group for attempt in entry.tries]
    merge = dialect.merge(raws, tries, traits)
    if merge is Merge.ROWS and not dialect.joins_rows:
        return [replace(_result(entry), merge=Merge.ROWS) for entry in group]
    if merge is Merge.RETRY and dialect.name == "pytest":
        tries = _blanks_as_failures(group)
    if merge is Merge.RETRY and dialect.name == "gotestsum":
        # Failures are listed before passes, whatever their order in time.
        tries = sorted(tries, key=lambda attempt: not attempt.outcome.is_failing)
    return [
        Result(
            group[0].name,
            _merged_outcome(tries, merge),
            group[-1].duration_s,
            tuple(tries),
            merge,
            _count(group[0].raw.attributes.get("line")),
        )
    ]


def _blanks_as_failures(group: Sequence[_Entry]) -> list[Try]:
    """pytest-rerunfailures and flaky write one blank entry per failed attempt, the last is real."""
    return [
        *(
            replace(attempt, outcome=Outcome.FAILED) if not entry.raw.children else attempt
            for entry in group[:-1]
            for attempt in entry.tries
        ),
        *group[-1].tries,
    ]


def _merged_outcome(tries: Sequence[Try], merge: Merge) -> Outcome:
    if merge is Merge.RETRY and tries[-1].outcome is Outcome.PASSED:
        return Outcome.PASSED
    if merge is Merge.PHASES:
        return tries[0].outcome if tries[0].outcome.is_failing else tries[-1].outcome
    failing = [attempt.outcome for attempt in tries if attempt.outcome.is_failing]
    return failing[0] if failing else tries[-1].outcome


def _result(entry: _Entry) -> Result:
    is_retried = len(entry.tries) > 1
    return Result(
        entry.name,
        entry.outcome,
        entry.duration_s,
        entry.tries,
        Merge.RETRY if is_retried else Merge.SINGLE,
        _count(entry.raw.attributes.get("line")),
    )


def _merge_repetitions(results: list[Result]) -> list[Result]:
    """Merge repetitions that carry their number in the name: t[1-3], t[2-3], t[3-3].

    Only when every number is there: otherwise "[1-3]" is a parameter like any other.
    """
    groups: dict[tuple[CaseName, int], dict[int, Result]] = {}
    for result in results:
        match = REPETITION.match(result.case.name) if result.case.name.endswith("]") else None
        if match:
            stem = _without_repetition(result.case, match)
            groups.setdefault((stem, int(match["count"])), {})[int(match["index"])] = result
    whole = {
        id(result): (stem, group)
        for (stem, count), group in groups.items()
        if count > 1 and sorted(group) == list(range(1, count + 1))
        for result in group.values()
    }
    if not whole:
        return results
    return _replaced(results, whole)


def _replaced(
    results: Sequence[Result], whole: dict[int, tuple[CaseName, dict[int, Result]]]
) -> list[Result]:
    kept, done = [], set()
    for result in results:
        stem, group = whole.get(id(result), (None, {}))
        if stem is None:
            kept.append(result)
        elif stem not in done:
            done.add(stem)
            tries = tuple(t for index in sorted(group) for t in group[index].tries)
            outcome = _merged_outcome(tries, Merge.REPETITION)
            kept.append(Result(stem, outcome, result.duration_s, tries, Merge.REPETITION))
    return kept


def _without_repetition(case: CaseName, match: re.Match[str]) -> CaseName:
    parameters = match["parameters"]
    name = f"{match['stem']}[{parameters}]" if parameters is not None else match["stem"]
    return replace(case, name=name)


def _totals(results: Sequence[Result]) -> Totals:
    outcomes = Counter(result.outcome for result in results)
    return Totals(
        tests=len(results),
        passed=outcomes[Outcome.PASSED],
        failed=outcomes[Outcome.FAILED],
        errored=outcomes[Outcome.ERRORED],
        skipped=outcomes[Outcome.SKIPPED],
        flaky_passed=sum(result.passed_after_retry for result in results),
        attempts=sum(1 if r.merge is Merge.PHASES else len(r.tries) for r in results),
    )


def _count(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None
