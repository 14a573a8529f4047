"""Builders of small reports."""

from collections.abc import Iterable

from triage.parse.archives import UploadedFile
from triage.parse.report import Report, Result
from triage.parse.upload import read_upload


def junit(cases: Iterable[str], name: str = "pytest") -> bytes:
    """Return a report with these <testcase> elements."""
    body = "".join(cases)
    return f'<testsuites><testsuite name="{name}">{body}</testsuite></testsuites>'.encode()


def case(name: str = "t", inner: str = "", **attributes: str) -> str:
    """Return a <testcase> element."""
    told = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f'<testcase classname="c" name="{name}"{told}>{inner}</testcase>'


def prop(name: str, value: str) -> str:
    """Return a <property> element."""
    return f'<property name="{name}" value="{value}"/>'


def props(**values: str) -> str:
    """Return <properties> of the product's own names."""
    inner = "".join(prop(f"tiebreak.{name}", value) for name, value in values.items())
    return f"<properties>{inner}</properties>"


def read(body: bytes, name: str = "report.xml") -> Report:
    """Read one report that must be readable."""
    reading = read_upload([UploadedFile(name, body)])
    assert reading.refused == []
    return reading.reports[0]


def only_result(body: bytes) -> Result:
    """Read a report that holds one case."""
    (result,) = read(body).results
    return result


def refusal(body: bytes, name: str = "report.xml") -> str:
    """Return why a file is refused."""
    reading = read_upload([UploadedFile(name, body)])
    assert reading.reports == []
    return reading.refused[0].error
