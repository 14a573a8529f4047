"""The rows of results that did not simply pass: result, calls, failure text."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from triage.classify.calls import Call, ResultCalls
from triage.classify.fingerprints import fingerprint
from triage.history.circumstances import circumstances_of
from triage.history.tallies import Tally
from triage.models import FailureText, Observation, Part, Result
from triage.models.bulk import insert_rows
from triage.models.incidents import PROVIDER_LENGTH
from triage.parse.provider_errors import provider_of
from triage.parse.redaction import Redactor
from triage.parse.report import Failure
from triage.record.entries import Entry
from triage.terms import Difference

MESSAGE_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Row:
    """What is kept of one case in one part."""

    entry: Entry
    case_id: int
    epoch_id: int | None
    calls: ResultCalls
    history: Tally


@dataclass(frozen=True, slots=True)
class Told:
    """A failure as it is kept, without secrets: the first line of its message, and its text."""

    message: str
    text: str
    # Characters of the text before it was cut.
    length: int
    # SHA-256 of the text, hex.
    sha256: str


def write_rows(part: Part, rows: Sequence[Row], redactor: Redactor) -> None:
    """Write results with their calls and texts; the texts without what the redactor masks."""
    failures = [_failure(row.entry) for row in rows]
    told = [_told(failure, redactor) if failure else None for failure in failures]
    texts = _write_texts(part.repository_id, [each for each in told if each])
    results = insert_rows(
        [
            _result(part, row, failure, kept, texts)
            for row, failure, kept in zip(rows, failures, told, strict=True)
        ]
    )
    insert_rows(
        [
            _observation(result, call)
            for result, row in zip(results, rows, strict=True)
            for call in row.calls.calls
        ]
    )


def _failure(entry: Entry) -> Failure | None:
    """Return the failure that stands for the result: the last one of its tries."""
    failures = [failure for each in entry.result.tries for failure in each.failures]
    return failures[-1] if failures else None


def _told(failure: Failure, redactor: Redactor) -> Told:
    text = redactor.redact(failure.text)
    message = redactor.redact(failure.message) if failure.message else text
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Told(_first_line(message), text, failure.length, digest)


def _first_line(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip()), "")
    return first.strip()[:MESSAGE_LENGTH]


def _write_texts(repository_id: int, told: Sequence[Told]) -> dict[str, int]:
    by_digest = {each.sha256: each for each in told}
    FailureText.objects.bulk_create(
        [
            FailureText(
                repository_id=repository_id, sha256=digest, text=each.text, length=each.length
            )
            for digest, each in by_digest.items()
        ],
        ignore_conflicts=True,
        batch_size=500,
    )
    stored = FailureText.objects.filter(repository_id=repository_id, sha256__in=list(by_digest))
    return dict(stored.values_list("sha256", "pk"))


def _result(
    part: Part, row: Row, failure: Failure | None, told: Told | None, texts: dict[str, int]
) -> Result:
    result = row.entry.result
    return Result(
        repository_id=part.repository_id,
        run=part.run,
        part=part,
        case_id=row.case_id,
        epoch_id=row.epoch_id,
        outcome=result.outcome,
        merge=result.merge,
        tries=len(result.tries),
        duration_s=result.duration_s,
        difference=row.calls.difference,
        message=told.message if told else "",
        text_id=texts[told.sha256] if told else None,
        signature=fingerprint(failure).digest if failure else "",
        provider=_provider(row, failure),
        line=result.line,
        is_counted=part.run.is_trusted,
        circumstances=[each.as_json() for each in circumstances_of(result)],
        history=row.history.as_json(),
        at=part.run.at,
    )


def _provider(row: Row, failure: Failure | None) -> str:
    """Return who did not answer: as the report names it, or as the failure does."""
    if row.calls.difference is not Difference.PROVIDER or failure is None:
        return ""
    told = (attempt.evidence.provider for attempt in row.entry.result.tries)
    named = next((name for name in told if name), "")
    return (named or provider_of(failure.type, failure.message, failure.text))[:PROVIDER_LENGTH]


def _observation(result: Result, call: Call) -> Observation:
    return Observation(
        repository_id=result.repository_id,
        result=result,
        try_index=call.try_index,
        call_index=call.call_index,
        difference=call.difference,
        expected=call.expected,
        observed=call.observed,
        confidence=call.confidence,
        margin=call.margin,
        response_id=call.response_id[:200],
        output_sha256=call.output_sha256[:64],
    )
