"""Read one JUnit document into results, by the rules of its dialect."""

from triage.parse.bounded_text import cut_middle
from triage.parse.dialects.dialect import Dialect
from triage.parse.dialects.registry import detect
from triage.parse.durations import is_ambiguous, read_seconds
from triage.parse.evidence import SuiteEvidence
from triage.parse.identity import repository_path
from triage.parse.limits import Limits
from triage.parse.merging import merge_entries, merge_repetitions
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
from triage.parse.suite_results import broken_skips, count_of, counted_problems, suite_result
from triage.parse.xml_stream import (
    OUTPUT_TAGS,
    RETRY_TAGS,
    Attributes,
    RawCase,
    RawChild,
    RawDocument,
)
from triage.terms import Merge, Outcome

PASSED_ONCE: tuple[Try, ...] = (Try(Outcome.PASSED),)
# What runners write for a case that they did not run, where others write <skipped/>.
NOT_RUN = frozenset({"notrun", "disabled", "suppressed", "ignored", "pending", "skipped"})
# A usual number of seconds needs no second look.
LONGEST_S = 1e9
STAMP_ATTRIBUTES = ("timestamp", "time", "hostname")
# A failure without an element that says so is none to be overlooked.
STATUSES = {
    **dict.fromkeys(("failed", "fail", "failure"), Outcome.FAILED),
    **dict.fromkeys(("error", "errored", "broken"), Outcome.ERRORED),
}
FLAKY_TAGS = frozenset({"flakyFailure", "flakyError"})
FAILING_TAGS = frozenset({"failure", "error"})


class DocumentReader:
    """Turns one raw document into a report."""

    def __init__(
        self, file: str, document: RawDocument, limits: Limits, *, is_incomplete: bool = False
    ) -> None:
        self.dialect = detect(document)
        self.report = Report(
            file,
            self.dialect.name,
            is_incomplete=is_incomplete,
            hides_retries=self.dialect.hides_retries,
            missing_evidence=self.dialect.missing_evidence,
        )
        self._document = document
        self._limits = limits
        self._files: dict[str, str] = {}
        self._ambiguous_times: list[str] = []
        self._evidence = SuiteEvidence(self.report.warnings)
        self._has_defaults = self._evidence.tells_of_all(document.suites)
        # The last resort to tell cases apart that no name of a suite, class or file does.
        self._last_resort = (file.rsplit("/", 1)[-1],)

    def read(self) -> Report:
        """Return the report."""
        report, document = self.report, self._document
        results = [self._result(raw) for raw in document.cases]
        merged = merge_entries(document.cases, results, self.dialect, self._limits.rows)
        report.totals = _totals(merged.results)
        report.suite_stamps = self._stamps()
        report.results = merged.results
        if self.dialect.numbers_repetitions:
            report.results = merge_repetitions(merged.results)
        self._add_suite_results()
        self._warn_of_shape(len(merged.groups))
        return report

    def _stamps(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        return {
            suite.path: tuple(suite.attributes.get(name, "") for name in STAMP_ATTRIBUTES)
            for suite in self._document.suites
        }

    def _result(self, raw: RawCase) -> Result:
        attributes = raw.attributes
        duration_s = self._seconds(attributes.get("time", ""))
        evidence = NO_EVIDENCE
        if raw.properties or self._has_defaults:
            evidence = self._evidence.of_case(raw)
        if raw.children or "status" in attributes or "result" in attributes:
            outcome = _outcome(raw, self.dialect)
            tries = self._tries(raw, outcome, duration_s, evidence)
        elif evidence is NO_EVIDENCE:
            outcome, tries = Outcome.PASSED, PASSED_ONCE
        else:
            outcome, tries = Outcome.PASSED, (Try(Outcome.PASSED, duration_s, (), evidence),)
        return Result(
            self._name(attributes, raw.suite.path),
            outcome,
            duration_s,
            tries,
            Merge.SINGLE if len(tries) == 1 else Merge.RETRY,
            count_of(attributes["line"]) if "line" in attributes else None,
        )

    def _seconds(self, time: str) -> float | None:
        try:
            seconds = float(time)
        except ValueError:
            if is_ambiguous(time):
                self._ambiguous_times.append(time)
            return read_seconds(time)
        return seconds if 0.0 <= seconds <= LONGEST_S else read_seconds(time)

    def _name(self, attributes: Attributes, suite: tuple[str, ...]) -> CaseName:
        name, classname = attributes.get("name", ""), attributes.get("classname", "")
        if len(name) + len(classname) > self._limits.name:
            name = self._limits.bounded_name(name)
            classname = self._limits.bounded_name(classname)
        file = self._file(attributes["file"]) if "file" in attributes else ""
        if not classname and not file and not any(suite):
            suite = self._last_resort
        return CaseName(suite, file, classname, name)

    def _file(self, file: str) -> str:
        known = self._files.get(file)
        if known is None:
            known = self._limits.bounded_name(repository_path(file))
            self._files[file] = known
        return known

    def _tries(
        self, raw: RawCase, outcome: Outcome, duration_s: float | None, evidence: Evidence
    ) -> tuple[Try, ...]:
        """Return the attempts: those of retry elements, and the one that the entry itself is.

        Surefire writes the first failure as <failure> and the later ones as <rerunFailure>, but
        the failures before a pass as <flakyFailure>.
        """
        own = tuple(self._failure(child) for child in raw.children if child.tag in FAILING_TAGS)
        output = "".join(child.body for child in raw.children if child.tag in OUTPUT_TAGS)
        final = Try(outcome, duration_s, own, evidence, output)
        others = tuple(self._retried(child) for child in raw.children if child.tag in RETRY_TAGS)
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

    def _add_suite_results(self) -> None:
        """Add a failing result per suite that failed without a case, such as a lost class."""
        document, report = self._document, self.report
        for suite in document.suites:
            failing = [child for child in suite.results if child.tag in FAILING_TAGS]
            if failing:
                report.results.append(suite_result(suite, tuple(map(self._failure, failing))))
        # What a report that is cut off counts beyond its cases is not lost, only not there.
        counted = [] if report.is_incomplete else counted_problems(document, self.dialect)
        lost = [
            *counted,
            *broken_skips(document, self.dialect, self._limits),
        ]
        report.results += lost
        report.warnings += [
            ReadWarning(f"{each.case.name}: {each.tries[0].failures[0].message}", each.line)
            for each in lost
        ]

    def _warn_of_shape(self, repeated: int) -> None:
        """Warn of what a person would stumble over when counting by hand."""
        document, warn = self._document, self.report.warnings.append
        has_counters = any(count_of(suite.attributes.get("tests")) for suite in document.suites)
        if not document.cases:
            empty = "holds counters and no test case: only totals are known"
            warn(ReadWarning(f"the report {empty if has_counters else 'holds no test'}"))
        self._warn_of_skipped_failures()
        if repeated:
            warn(ReadWarning(f"names that stand more than once: {repeated}, {self._repetition()}"))
        if document.unknown:
            most = ", ".join(f"<{tag}>" for tag, _ in document.unknown.most_common(5))
            warn(ReadWarning(f"elements that were ignored: {document.unknown.total()} ({most})"))
        if document.dropped_properties:
            most_properties = self._limits.properties
            warn(
                ReadWarning(
                    f"{document.dropped_properties} properties beyond {most_properties} "
                    "of one case or suite were left out"
                )
            )
        if self._ambiguous_times:
            time = self._ambiguous_times[0]
            warn(ReadWarning(f"time {time!r} was taken for thousands of seconds"))

    def _warn_of_skipped_failures(self) -> None:
        if self.dialect.skipped_beats_failed or "skipped" not in self._document.tags:
            return
        both = [
            raw
            for raw in self._document.cases
            if raw.children and {"skipped"} < {each.tag for each in raw.children} - OUTPUT_TAGS
        ]
        if both:
            message = f"cases that are skipped and failed, read as failed: {len(both)}"
            self.report.warnings.append(ReadWarning(message, both[0].line))

    def _repetition(self) -> str:
        kinds = {result.merge for result in self.report.results} - {Merge.SINGLE}
        return "read as " + ", ".join(sorted(kinds))


def _is_not_run(attributes: dict[str, str]) -> bool:
    """Whether a status says so: case-insensitive, in either of two attributes."""
    if "status" not in attributes and "result" not in attributes:
        return False
    told = {attributes.get("status", "").lower(), attributes.get("result", "").lower()}
    return not NOT_RUN.isdisjoint(told)


def _outcome(raw: RawCase, dialect: Dialect) -> Outcome:
    tags = {child.tag for child in raw.children}
    skips = any(child.tag == "error" and dialect.is_skip(child) for child in raw.children)
    if skips or ("skipped" in tags and dialect.skipped_beats_failed):
        return Outcome.SKIPPED
    if "error" in tags:
        return Outcome.ERRORED
    if "failure" in tags:
        return Outcome.FAILED
    is_skipped = "skipped" in tags or _is_not_run(raw.attributes)
    if is_skipped or tags & FLAKY_TAGS:
        return Outcome.SKIPPED if is_skipped else Outcome.PASSED
    return STATUSES.get(raw.attributes.get("status", "").lower(), Outcome.PASSED)


def _totals(results: list[Result]) -> Totals:
    # Nearly all are plain passes; the few others are counted one by one.
    others = [result for result in results if result.tries is not PASSED_ONCE]
    plain = len(results) - len(others)
    outcomes = [result.outcome for result in others]
    attempts = sum(1 if each.merge is Merge.PHASES else len(each.tries) for each in others)
    return Totals(
        tests=len(results),
        passed=plain + outcomes.count(Outcome.PASSED),
        failed=outcomes.count(Outcome.FAILED),
        errored=outcomes.count(Outcome.ERRORED),
        skipped=outcomes.count(Outcome.SKIPPED),
        flaky_passed=sum(each.passed_after_retry for each in others),
        attempts=plain + attempts,
    )
