"""The shapes that the API answers with. Lists are made by them, so they cannot differ from them."""

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field

from triage.terms import Conclusion, Difference, FindingKind, UploadState

Numbers = dict[str, Any]


class ErrorDetail(Schema):
    """What went wrong, and where."""

    code: str = Field(description="One word for programs; explained under its anchor below.")
    message: str = Field(description="What was wrong, the value, and what to do.")
    file: str | None = Field(description="The file of the upload that it is about.")
    line: int | None
    details: list[dict[str, Any]]
    help: str = Field(description="Where this error is explained.")


class Error(Schema):
    """The one shape of every error."""

    error: ErrorDetail


class Unread(Schema):
    """A file of an upload that could not be read."""

    file: str
    kind: str
    error: str
    line: int | None


class UploadBody(Schema):
    """An upload and its import report."""

    id: str
    state: UploadState
    error: str = Field(description="Why the last try to process it ended badly; empty if none did.")
    received_at: datetime
    url: str
    reading: dict[str, Any] = Field(description="What was read of each file.")
    is_partial: bool = Field(description="Whether files could not be read; the others count.")
    unread: list[Unread]


class Parts(Schema):
    """How many parts of a run are there."""

    got: int
    expected: int


class Counts(Schema):
    """Cases by outcome, and how many of them are LLM cases."""

    passed: int
    failed: int
    errored: int
    skipped: int
    llm: int


class Rate(Schema):
    """Divergences per call with their 95 % credible interval."""

    divergent: int
    calls: int
    low: float
    high: float


class Finding(Schema):
    """The judgement of one failing result."""

    model_config = ConfigDict(extra="allow")

    case: str
    finding: FindingKind
    difference: Difference
    expected: str | None
    observed: str | None
    confidence: float | None
    margin: float | None
    rate: Rate
    probability_regression: float | None
    budget: Numbers | None
    tie_break: str | None
    second_pass: Numbers | None
    reason: str = Field(description="One English sentence with the numbers in it.")


class SuiteFailures(Schema):
    """The number of failing LLM cases against how many were due."""

    expected_failures: float
    observed_failures: int
    p_value: float
    is_burst: bool


class SecondPass(Schema):
    """The plan of repeats: which cases, and how often."""

    cases: list[dict[str, Any]]
    repeats: int


class VerdictBody(Schema):
    """The judgement of a run."""

    model_config = ConfigDict(extra="allow")

    id: int
    status: Literal["done"]
    conclusion: Conclusion
    exit_code: int = Field(description="0 passed, 1 blocked, 3 on hold.")
    repo: str
    sha: str
    pr: int | None
    run_id: str
    attempt: int
    parts: Parts
    counts: Counts
    findings: list[Finding]
    suite: SuiteFailures
    second_pass: SecondPass
    url: str


class UploadVerdict(VerdictBody):
    """The verdict of an upload's run."""

    upload: UploadBody
    replayed: bool = Field(description="Whether the same upload had come before.")


class PendingUpload(Schema):
    """An upload that is stored and has no verdict yet."""

    status: Literal["pending", "failed"]
    exit_code: Literal[0]
    upload: UploadBody
    replayed: bool


class Page(Schema):
    """One page of a list."""

    repo: str
    page: int
    pages: int
    total: int


class RunEntry(Schema):
    """A run in the list of runs."""

    id: int
    sha: str
    run_id: str
    attempt: int
    branch: str
    pr: int | None
    at: datetime
    conclusion: Conclusion | None = Field(description="Null before the first verdict.")
    url: str


class RunsPage(Page):
    """Runs, the newest first."""

    runs: list[RunEntry]


class CaseEntry(Schema):
    """A case in the list of cases."""

    case_id: int
    case: str
    file: str
    classname: str
    name: str
    is_llm: bool
    first_seen_at: datetime
    last_seen_at: datetime


class CasesPage(Page):
    """Cases, the last seen first."""

    cases: list[CaseEntry]


class CaseBody(CaseEntry):
    """A case and everything that is known of it."""

    epochs: list[dict[str, Any]]
    labels: list[dict[str, Any]]
    rate: Rate | None
    conditions: dict[str, Any] | None
    advice: list[Any]
    associations: list[dict[str, Any]]


class CaseBudget(Schema):
    """Where the budget of one case stands."""

    case_id: int
    case: str
    budget: Numbers


class BudgetsPage(Page):
    """The repository's budget and those of its cases, the most used up first."""

    budget: Numbers
    cases: list[CaseBudget]


class Charge(Schema):
    """An entry of the ledger."""

    case_id: int
    case: str
    run: int | None
    amount: int
    difference: Difference
    reason: str
    at: datetime


class ChargesPage(Page):
    """The ledger, the newest entries first."""

    charges: list[Charge]


class EscalationEntry(Schema):
    """A question to a person."""

    id: int
    case_id: int
    case: str
    labels: list[str]
    state: str
    owner: str
    opened_at: datetime
    due_at: datetime | None


class EscalationsPage(Page):
    """Questions, those due soonest first."""

    escalations: list[EscalationEntry]


class DecisionBody(Schema):
    """An answer to a question."""

    id: int
    kind: str
    label: str | None
    until: datetime | None
    who: str
    why: str
    at: datetime
    evidence: Any


class EscalationBody(EscalationEntry):
    """A question with its decisions and the runs that rest on it."""

    decisions: list[DecisionBody]
    runs: list[Any]


class MuteShown(Schema):
    """Who answers for a muted case, why, and until when."""

    case: str
    case_id: int
    owner: str
    reason: str
    created_at: datetime
    created_by: str
    until: datetime
    ended_at: datetime | None
    ended_by: str


class CaseRules(Schema):
    """The rules of a policy that hold for a case; null where none does."""

    case: str
    budget: str | None
    labels: str | None


class PolicyCheck(Schema):
    """What a policy says, or what is wrong with it."""

    is_legal: bool
    errors: list[dict[str, Any]] = Field(description="Each with its line and column.")
    policy: dict[str, Any] | None = Field(None, description="The policy with its defaults.")
    cases: list[CaseRules] = Field([], description="Which rule holds for which LLM case.")
