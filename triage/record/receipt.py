"""The import report of an upload: what was read, warned of, ignored and refused."""

from dataclasses import asdict

from triage.parse.report import Report, UploadReading

# Enough to see what is wrong; a report with more of them has one cause.
MOST_WARNINGS = 100


def import_report(reading: UploadReading) -> dict[str, object]:
    """Return the import report as it is stored with the upload and answered by the API."""
    return {
        "files": [_file(report) for report in reading.reports],
        "refused": [asdict(each) for each in reading.refused],
        "ignored": [asdict(each) for each in reading.ignored],
    }


def _file(report: Report) -> dict[str, object]:
    return {
        "file": report.file,
        "dialect": report.dialect,
        "is_incomplete": report.is_incomplete,
        "hides_retries": report.hides_retries,
        **asdict(report.totals),
        "warnings": [asdict(warning) for warning in report.warnings[:MOST_WARNINGS]],
        "warnings_total": len(report.warnings),
    }
