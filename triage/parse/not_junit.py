"""Name what a file is when it is not JUnit XML, and say how to get JUnit from that tool."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OtherFormat:
    """A format that is uploaded by mistake."""

    kind: str
    advice: str

    def __str__(self) -> str:
        return f"this is {self.kind}, not JUnit XML; {self.advice}"


TRX = OtherFormat(
    "a TRX file of dotnet test", "add the package JunitXml.TestLogger and '--logger junit'"
)
NUNIT = OtherFormat(
    "an NUnit report",
    "run nunit3-console with '--result=junit.xml;transform=nunit3-junit.xslt', "
    "or use JunitXml.TestLogger with dotnet test",
)
XUNIT_NET = OtherFormat("an xUnit.net report", "run the console runner with '-junit FILE'")
TESTNG = OtherFormat("a TestNG report", "upload the files in test-output/junitreports/ instead")
ROBOT = OtherFormat("Robot Framework's output.xml", "run robot with '--xunit junit.xml'")
SONAR = OtherFormat("a Sonar generic report", "choose the JUnit reporter of the test tool")
PROMPTFOO = OtherFormat(
    "promptfoo's own XML", "write '-o results.junit.xml', and '-o results.json' beside it"
)
BOOST = OtherFormat("a Boost.Test log", "run with '--log_format=JUNIT --log_sink=junit.xml'")
QTEST = OtherFormat("a Qt Test log", "run with '-o junit.xml,junitxml'")
ANDROID = OtherFormat("an Android CTS report", "convert its results with a JUnit reporter first")
JENKINS = OtherFormat("Jenkins' own result store", "upload the reports that Jenkins read")
COVERAGE = OtherFormat("a coverage report", "upload the test report instead")
CHECKSTYLE = OtherFormat("a Checkstyle report", "lint findings are not tests; leave it out")
HTML = OtherFormat(
    "an HTML page", "often an error page of a failed download: look at the step that made it"
)
JSON = OtherFormat("JSON", "choose the JUnit reporter of the test tool")
LFS = OtherFormat("a Git LFS pointer", "run 'git lfs pull' before the upload")
TEXT = OtherFormat("plain text", "upload the XML file that the test tool writes")
BINARY = OtherFormat("binary data", "upload XML, or a gzip, zip or tar archive of XML files")

BY_ROOT = {
    "TestRun": TRX,
    "test-run": NUNIT,
    "test-results": NUNIT,
    "assemblies": XUNIT_NET,
    "assembly": XUNIT_NET,
    "testng-results": TESTNG,
    "robot": ROBOT,
    "testExecutions": SONAR,
    "unitTest": SONAR,
    "promptfoo": PROMPTFOO,
    "TestLog": BOOST,
    "TestResult": BOOST,
    "TestCase": QTEST,
    "Result": ANDROID,
    "result": JENKINS,
    "coverage": COVERAGE,
    "report": COVERAGE,
    "checkstyle": CHECKSTYLE,
    "html": HTML,
}
ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)[\s/>]")
JUNIT_ROOTS = frozenset({"testsuites", "testsuite"})
# A log line or two may stand before the report; a page of text is no report.
LOOK_AHEAD = 20_000


def recognise(text: str) -> OtherFormat | None:
    """Return what a text is, or ``None`` when it may be JUnit XML.

    Parameters
    ----------
    text : str
        The decoded file.
    """
    head = text[:LOOK_AHEAD].lstrip()
    if head.startswith("version https://git-lfs"):
        return LFS
    if head[:1] in "{[" and not ROOT.search(head):
        return JSON
    if re.match(r"<!doctype\s+html|<html", head, re.IGNORECASE):
        return HTML
    roots = ROOT.findall(head)
    if roots:
        return None if JUNIT_ROOTS & set(roots) else BY_ROOT.get(roots[0])
    if head.startswith(("<?xml", "<!DOCTYPE")):
        return None
    return BINARY if "\0" in head[:1000] else TEXT


def by_root(root: str) -> OtherFormat:
    """Return what a document with this root is."""
    return BY_ROOT.get(
        root,
        OtherFormat(
            f"XML with the root <{root[:60]}>",
            "a JUnit report starts with <testsuites> or <testsuite>",
        ),
    )
