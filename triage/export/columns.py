"""What an export holds: its tables, and of each the columns with type, meaning and source."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from budgets.ledger import newest_charges
from triage.models import Case, Epoch, EpochDay, Finding, Result, Run, Verdict

# Types of a column, named as Arrow and Parquet name them.
INTEGER, NUMBER, TEXT, BOOLEAN = "int64", "double", "string", "bool"
TIME, DAY, JSON = "timestamp[us, UTC]", "date32", "string (JSON)"


@dataclass(frozen=True, slots=True)
class Column:
    """One column; the name is that of the file, ``source`` the field it is read from."""

    name: str
    type: str
    meaning: str
    source: str = ""

    @property
    def field(self) -> str:
        """The field that the column is read from."""
        return self.source or self.name


@dataclass(frozen=True, slots=True)
class ExportedTable:
    """One table and the rows of a repository in it."""

    name: str
    rows: Callable[[int], QuerySet[Any]]
    columns: tuple[Column, ...]


ID = Column("id", INTEGER, "number of the row in this installation")
CASE = Column("case_id", INTEGER, "row of cases")
RUN = Column("run_id", INTEGER, "row of runs")
EPOCH = Column("epoch_id", INTEGER, "row of epochs; empty where a case calls no LLM")
COUNTS = (
    Column("calls", INTEGER, "calls that got an answer"),
    Column("text", INTEGER, "of these, how many differed in the wording"),
    Column("label", INTEGER, "of these, how many differed in the label"),
    Column("invalid", INTEGER, "of these, how many had output that does not parse"),
    Column("unknown", INTEGER, "of these, how many differed in no known way"),
    Column("crash", INTEGER, "of these, how many ended in an exception of the test"),
    Column("provider", INTEGER, "calls that the endpoint did not answer, not among calls"),
)


def _of(model: Any) -> Callable[[int], QuerySet[Any]]:
    return lambda repository_id: model.objects.filter(repository_id=repository_id)


TABLES = (
    ExportedTable(
        "cases",
        _of(Case),
        (
            ID,
            Column("title", TEXT, "file::class::name"),
            Column("suite", TEXT, "suite, as the report says"),
            Column("file", TEXT, "file, as the report says"),
            Column("classname", TEXT, "class, as the report says"),
            Column("name", TEXT, "name, as the report says"),
            Column("is_llm", BOOLEAN, "whether a report told of an LLM call"),
            Column("labels", JSON, "closed set of labels that was told"),
            Column("first_seen_at", TIME, "first run"),
            Column("last_seen_at", TIME, "last run"),
        ),
    ),
    ExportedTable(
        "runs",
        _of(Run),
        (
            ID,
            Column("sha", TEXT, "commit that was tested"),
            Column("ci_run_id", TEXT, "the CI system's id"),
            Column("attempt", INTEGER, "from 1"),
            Column("branch", TEXT, "branch"),
            Column("pr", INTEGER, "pull request; empty for a branch"),
            Column("base_sha", TEXT, "commit that it is compared with"),
            Column("is_reference", BOOLEAN, "whether it is of the default branch"),
            Column("at", TIME, "when it took place"),
            Column("pruned_at", TIME, "when its results were deleted for their age"),
        ),
    ),
    ExportedTable(
        "results",
        _of(Result),
        (
            ID,
            RUN,
            CASE,
            EPOCH,
            Column("part", TEXT, "leg of the run", "part__name"),
            Column("outcome", TEXT, "passed, failed, errored or skipped"),
            Column("tries", INTEGER, "executions"),
            Column("duration_s", NUMBER, "seconds; empty where not told"),
            Column("difference", TEXT, "what differs; empty where nothing does"),
            Column("message", TEXT, "first line of the failure, masked"),
            Column("signature", TEXT, "fingerprint of the failure"),
            Column("text", TEXT, "failure text, masked", "text__text"),
            Column("at", TIME, "when the run took place"),
        ),
    ),
    ExportedTable(
        "findings",
        _of(Finding),
        (
            ID,
            Column("verdict_id", INTEGER, "row of verdicts"),
            Column("result_id", INTEGER, "row of results"),
            CASE,
            Column("kind", TEXT, "the finding"),
            Column("difference", TEXT, "what differs"),
            Column("expected", TEXT, "expected label"),
            Column("observed", TEXT, "observed label"),
            Column("reason", TEXT, "one sentence with the numbers in it"),
            Column("receipt", JSON, "what the judgement was made of"),
            Column("at", TIME, "when the run took place"),
        ),
    ),
    ExportedTable(
        "charges",
        lambda repository_id: newest_charges(repository_id=repository_id),
        (
            ID,
            CASE,
            EPOCH,
            RUN,
            Column("event", TEXT, "what makes the divergence the same one"),
            Column("number", INTEGER, "0 is the charge, 1 its reversal, and so on"),
            Column("difference", TEXT, "what differed"),
            Column("amount", INTEGER, "1 charges, -1 takes back"),
            Column("reason", TEXT, "in words"),
            Column("at", TIME, "when the run took place"),
        ),
    ),
    ExportedTable(
        "epochs",
        _of(Epoch),
        (
            ID,
            CASE,
            Column("number", INTEGER, "1, 2, … in the order of appearance"),
            Column("model_snapshot", TEXT, "model that answered"),
            Column("model_requested", TEXT, "model that was asked for"),
            Column("prompt_sha256", TEXT, "digest of the prompt"),
            Column("test_sha256", TEXT, "digest of the test"),
            *COUNTS,
            Column("results", INTEGER, "results that made these calls"),
            Column("accepted_rate", NUMBER, "accepted text differences per call"),
            Column("first_seen_at", TIME, "first run"),
            Column("last_seen_at", TIME, "last run"),
        ),
    ),
    ExportedTable(
        "epoch_days",
        _of(EpochDay),
        (ID, EPOCH, Column("day", DAY, "day, UTC"), *COUNTS),
    ),
    ExportedTable(
        "verdicts",
        _of(Verdict),
        (
            ID,
            RUN,
            Column("revision", INTEGER, "1 for the first judgement of the run"),
            Column("is_current", BOOLEAN, "whether no later revision exists"),
            Column("conclusion", TEXT, "the decision"),
            Column("rules", INTEGER, "version of the rules"),
            Column("judged_at", TIME, "when it was judged"),
            Column("document", JSON, "the verdict as the API answers it"),
        ),
    ),
)
