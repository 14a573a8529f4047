"""What reading a report yields: plain values that every later step builds on."""

from dataclasses import dataclass, field

from triage.terms import Assertion, Merge, Outcome


@dataclass(frozen=True, slots=True)
class Observation:
    """One LLM call's parsed label beside the label that was expected.

    ``confidence`` is the probability of the observed label, in [0, 1];
    ``margin`` the log-probability gap of the two best labels, in nats (>= 0).
    """

    expected: str | None
    observed: str | None
    confidence: float | None = None
    margin: float | None = None
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a test told about its LLM calls through properties; ``None`` means not told."""

    model_requested: str | None = None
    model_answered: str | None = None
    provider: str | None = None
    temperature: float | None = None
    seed: int | None = None
    system_fingerprint: str | None = None
    cached_tokens: int | None = None
    input_tokens: int | None = None
    accepted_prediction_tokens: int | None = None
    response_id: str | None = None
    calls: int | None = None
    assertion: Assertion | None = None
    labels: tuple[str, ...] = ()
    observations: tuple[Observation, ...] = ()
    output_sha256: str | None = None
    prompt_sha256: str | None = None
    test_sha256: str | None = None


NO_EVIDENCE = Evidence()


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure or error text of a try, cut to a bounded length.

    ``length`` is the number of characters before the cut.
    """

    outcome: Outcome
    type: str
    message: str
    text: str
    length: int


@dataclass(frozen=True, slots=True)
class Try:
    """One execution of a case: the first one, a retry, a repetition or a data row."""

    outcome: Outcome
    duration_s: float | None = None
    failures: tuple[Failure, ...] = ()
    evidence: Evidence = NO_EVIDENCE
    output: str = ""


# A report holds a hundred thousand names and results. Frozen ones take three times as long to make,
# so these two are not, and nobody changes them all the same.
@dataclass(slots=True, unsafe_hash=True)
class CaseName:
    """What a report calls a case. Suite names are a path; any part may be empty."""

    suite: tuple[str, ...]
    file: str
    classname: str
    name: str


@dataclass(slots=True, unsafe_hash=True)
class Result:
    """One case's outcome in one report, its entries merged by the rule of the dialect."""

    case: CaseName
    outcome: Outcome
    duration_s: float | None
    tries: tuple[Try, ...]
    merge: Merge = Merge.SINGLE
    line: int | None = None

    @property
    def passed_after_retry(self) -> bool:
        """Whether the case failed first and passed on a retry of the same job."""
        return (
            self.merge is Merge.RETRY
            and self.outcome is Outcome.PASSED
            and any(attempt.outcome.is_failing for attempt in self.tries)
        )


@dataclass(frozen=True, slots=True)
class ReadWarning:
    """Something in a file that was repaired, ignored or doubted. ``line`` counts from 1."""

    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of one report after merging; ``attempts`` counts every execution."""

    tests: int = 0
    passed: int = 0
    failed: int = 0
    errored: int = 0
    skipped: int = 0
    flaky_passed: int = 0
    attempts: int = 0


@dataclass(slots=True)
class Report:
    """One report file, read."""

    file: str
    dialect: str
    results: list[Result] = field(default_factory=list)
    warnings: list[ReadWarning] = field(default_factory=list)
    totals: Totals = Totals()
    is_incomplete: bool = False
    hides_retries: bool = False
    # What evidence of LLM calls the reporter leaves out, and the one line that adds it.
    missing_evidence: str = ""
    # When, for how long and where each suite ran, as written.
    suite_stamps: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IgnoredFile:
    """A member of an upload that is not read, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A file of an evaluation tool that was read for what its JUnit report leaves out."""

    file: str
    tool: str
    executions: int


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file that could not be read: what was wrong, where, and what to do."""

    file: str
    kind: str
    error: str
    line: int | None = None


@dataclass(slots=True)
class UploadReading:
    """Everything that was read out of the files of one upload."""

    reports: list[Report] = field(default_factory=list)
    refused: list[RefusedFile] = field(default_factory=list)
    ignored: list[IgnoredFile] = field(default_factory=list)
    evidence_files: list[EvidenceFile] = field(default_factory=list)
