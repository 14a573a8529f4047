"""Read the files of an upload: archives opened, reports read, everything else named."""

import hashlib
from collections.abc import Sequence
from xml.parsers import expat

from triage.parse.archives import UploadedFile, unpack
from triage.parse.collector import paused_collector
from triage.parse.decoding import decode
from triage.parse.duplicates import drop_results, drop_same_suites
from triage.parse.evaluation_tools import SideFiles
from triage.parse.junit import DocumentReader
from triage.parse.limits import DEFAULT_LIMITS, Limits
from triage.parse.not_junit import CHECKSTYLE, COVERAGE, JUNIT_ROOTS, by_root, recognise
from triage.parse.repairs import repair_characters, repair_markup, split_documents
from triage.parse.report import (
    EvidenceFile,
    IgnoredFile,
    ReadWarning,
    RefusedFile,
    Report,
    UploadReading,
)
from triage.parse.side_files import SideFile
from triage.parse.xml_stream import WRAPPER, RawDocument, RefusedXmlError, XmlStream

__all__ = ["DEFAULT_LIMITS", "Limits", "UploadedFile", "read_report", "read_upload"]

EMPTY = "the file is empty: the test run wrote nothing, or the path is wrong"
NO_ELEMENT = "the file is cut off before its first element is complete; send it again"
MISSPELT = (
    "this is not JUnit XML: it holds <{tag}> where JUnit has <testcase>, in lower case; choose the "
    "JUnit reporter of the test tool"
)
ALONE = (
    "this is {tool}'s own file of results; upload it beside the JUnit XML of the same call, "
    "which names the cases"
)
# Lying beside test reports, these are no mistake; they are just not for us.
BESIDE_REPORTS = (COVERAGE, CHECKSTYLE)
Outcome = Report | SideFile | RefusedFile | IgnoredFile
TRUNCATED = frozenset(
    {
        expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
        expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
        expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION],
        expat.errors.codes[expat.errors.XML_ERROR_PARTIAL_CHAR],
    }
)


def read_upload(files: Sequence[UploadedFile], limits: Limits = DEFAULT_LIMITS) -> UploadReading:
    """Read every file of an upload; what cannot be read is refused by name, never raised."""
    unpacked = unpack(list(files), limits)
    reading = UploadReading(ignored=unpacked.ignored, refused=unpacked.refused)
    side_files = SideFiles()
    is_alone = len(unpacked.files) == 1
    known: dict[bytes, str] = {}
    for file in unpacked.files:
        with paused_collector():
            outcome = read_report(file, limits, side_files)
        if isinstance(outcome, Report) and not is_alone:
            _drop_if_known(known, file, outcome)
        _sort_in(reading, outcome, is_alone=is_alone)
    if len(reading.reports) > 1:
        drop_same_suites(reading.reports)
    side_files.complete(reading.reports)
    return reading


def _drop_if_known(known: dict[bytes, str], file: UploadedFile, report: Report) -> None:
    digest = hashlib.sha256(file.body).digest()
    if digest in known:
        drop_results(report, known[digest])
    else:
        known[digest] = file.name


def _sort_in(reading: UploadReading, outcome: Outcome, *, is_alone: bool) -> None:
    if isinstance(outcome, Report):
        reading.reports.append(outcome)
    elif isinstance(outcome, SideFile) and not is_alone:
        reading.evidence_files.append(EvidenceFile(outcome.file, outcome.tool, len(outcome.told)))
    elif isinstance(outcome, SideFile):
        reading.refused.append(RefusedFile(outcome.file, "JSON", ALONE.format(tool=outcome.tool)))
    elif isinstance(outcome, IgnoredFile) and not is_alone:
        reading.ignored.append(outcome)
    elif isinstance(outcome, IgnoredFile):
        reading.refused.append(RefusedFile(outcome.file, "other", outcome.reason))
    else:
        reading.refused.append(outcome)


def read_report(file: UploadedFile, limits: Limits, side_files: SideFiles) -> Outcome:
    """Read one file: a report, what lies beside one, or why it is neither."""
    text, warnings = decode(file.body)
    if text[:1].isspace():
        # A declaration must come first; blank lines before it are a habit of templates.
        text = text.lstrip()
    if not text.strip():
        return RefusedFile(file.name, "empty", EMPTY)
    side_file = side_files.add(file.name, text, limits)
    if side_file:
        return side_file
    other = recognise(text)
    if other in BESIDE_REPORTS:
        return IgnoredFile(file.name, str(other))
    if other:
        return RefusedFile(file.name, other.kind, str(other))
    return _read_xml(file.name, text, warnings, limits)


def _read_xml(
    name: str, text: str, warnings: list[ReadWarning], limits: Limits
) -> Report | RefusedFile:
    try:
        document, is_incomplete, more = _parse(text, limits)
    except RefusedXmlError as error:
        return RefusedFile(name, "refused", error.message, error.line)
    except expat.ExpatError as error:
        return _malformed(name, error)
    if document.misspelt:
        return RefusedFile(name, "not JUnit", MISSPELT.format(tag=document.misspelt))
    if not document.root:
        return RefusedFile(name, "malformed", NO_ELEMENT)
    if document.root not in JUNIT_ROOTS:
        if not document.cases:
            other = by_root(document.root)
            return RefusedFile(name, other.kind, str(other))
        more.append(
            ReadWarning(f"<{document.root[:60]}> is not JUnit's; the suites in it were read")
        )
    report = DocumentReader(name, document, limits, is_incomplete=is_incomplete).read()
    report.warnings = [*warnings, *more, *report.warnings]
    return report


def _malformed(name: str, error: expat.ExpatError) -> RefusedFile:
    reason = expat.errors.messages[error.code]
    return RefusedFile(
        name,
        "malformed",
        f"the XML is not well-formed at column {error.offset + 1} ({reason}) and cannot be "
        "repaired; look at what the test tool wrote there",
        error.lineno,
    )


def _parse(text: str, limits: Limits) -> tuple[RawDocument, bool, list[ReadWarning]]:
    """Parse strictly, then with characters repaired, documents split, and markup repaired.

    Nearly every report is well-formed, so nothing is searched for repairs before the first try.
    """
    try:
        return _strict(text, limits), False, []
    except expat.ExpatError as error:
        first = error.with_traceback(None)
    repaired = repair_characters(text)
    if repaired.warnings:
        try:
            return _strict(repaired.text, limits), False, repaired.warnings
        except expat.ExpatError as error:
            first = error.with_traceback(None)
    split = split_documents(repaired.text)
    warnings = [*repaired.warnings, *split.warnings]
    wrapped = f"<{WRAPPER}>{split.text}</{WRAPPER}>"
    try:
        document = _strict(wrapped, limits)
    except expat.ExpatError:
        return _cut_or_repaired(split.text, warnings, first, limits)
    return document, False, warnings or [_what_followed(document, first)]


def _cut_or_repaired(
    text: str, warnings: list[ReadWarning], first: expat.ExpatError, limits: Limits
) -> tuple[RawDocument, bool, list[ReadWarning]]:
    cut = ReadWarning("the file is cut off: cases after this line are not known", first.lineno)
    stream = XmlStream(limits)
    try:
        stream.read(text)
    except expat.ExpatError as error:
        if error.code in TRUNCATED:
            return stream.document, True, [*warnings, cut]
    mended = repair_markup(text)
    stream = XmlStream(limits)
    try:
        stream.read(f"<{WRAPPER}>{mended.text}</{WRAPPER}>")
    except expat.ExpatError as error:
        if not stream.document.cases:
            raise first from error
        return stream.document, True, [*warnings, *mended.warnings, cut]
    return stream.document, False, [*warnings, *mended.warnings]


def _strict(text: str, limits: Limits) -> RawDocument:
    stream = XmlStream(limits)
    stream.read(text)
    return stream.document


def _what_followed(document: RawDocument, first: expat.ExpatError) -> ReadWarning:
    """Return the warning for a document that was only read because its root was wrapped."""
    roots = sum(suite.is_outermost for suite in document.suites)
    if roots > 1:
        return ReadWarning(f"{roots} reports in one file were joined", first.lineno)
    return ReadWarning("text after the report was ignored", first.lineno)
