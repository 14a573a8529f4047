"""The import report of an upload: what was read, warned of, ignored and refused, file by file."""

from dataclasses import asdict
from typing import Any

from triage.parse.redaction import Redactor
from triage.parse.report import EvidenceFile, Report, Totals, UploadReading

COUNTS = tuple(asdict(Totals()))


def import_report(
    reading: UploadReading, redactor: Redactor | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Return one entry per file of an upload: counts of what was read, or the error.

    The same from the command line, the API and the pages. What it quotes of a file is masked.
    """
    files = [
        *(_read(report) for report in reading.reports),
        *(
            _unread(refused.file, refused.kind, refused.error, refused.line)
            for refused in reading.refused
        ),
        *(_unread(ignored.file, "ignored", ignored.reason, None) for ignored in reading.ignored),
        *(_beside(file) for file in reading.evidence_files),
    ]
    redact = (redactor or Redactor()).redact
    for file in files:
        file["error"] = file["error"] and redact(file["error"])
        for warning in file["warnings"]:
            warning["message"] = redact(warning["message"])
    return {"files": files}


def _read(report: Report) -> dict[str, Any]:
    return {
        "file": report.file,
        "kind": "junit",
        "dialect": report.dialect,
        **asdict(report.totals),
        "incomplete": report.is_incomplete,
        "hides_retries": report.hides_retries,
        "missing_evidence": report.missing_evidence,
        "warnings": [asdict(warning) for warning in report.warnings],
        "error": None,
        "line": None,
    }


def _unread(file: str, kind: str, error: str, line: int | None) -> dict[str, Any]:
    return {
        "file": file,
        "kind": kind,
        "dialect": None,
        **dict.fromkeys(COUNTS),
        "incomplete": False,
        "hides_retries": False,
        "missing_evidence": "",
        "warnings": [],
        "error": error,
        "line": line,
    }


def _beside(evidence: EvidenceFile) -> dict[str, Any]:
    return {**_unread(evidence.file, f"{evidence.tool} results", "", None), "error": None}
