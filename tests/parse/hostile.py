"""Awkward and hostile uploads, each with what it must get."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

from triage.parse.report import UploadReading

DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'
BODY = (
    b'<testsuites><testsuite name="s" tests="1" failures="1"><testcase classname="c" name="t" '
    b"time=\"0.1\"><failure message=\"assert 'billing' == 'fraud'\">x</failure></testcase>"
    b"</testsuite></testsuites>\n"
)
REPORT = DECLARATION + BODY


@dataclass(frozen=True, slots=True)
class Expected:
    """What an upload must get: how many tests and failures, or words of its refusal."""

    tests: int = 1
    failed: int = 1
    refused: str = ""
    warned: str = ""
    is_incomplete: bool = False

    def check(self, reading: UploadReading) -> None:
        """Assert that a reading is the expected one."""
        if self.refused:
            assert reading.reports == []
            assert self.refused in reading.refused[0].error
            return
        assert reading.refused == []
        totals = [report.totals for report in reading.reports]
        assert (sum(t.tests for t in totals), sum(t.failed for t in totals)) == (
            self.tests,
            self.failed,
        )
        messages = [each.message for report in reading.reports for each in report.warnings]
        assert any(self.warned in message for message in messages) or not self.warned
        assert any(report.is_incomplete for report in reading.reports) is self.is_incomplete


ONE_FAILED = Expected()
NO_DOCTYPE = Expected(refused="a DOCTYPE is not taken")


def uploads() -> Iterator[tuple[str, bytes, Expected]]:
    """Yield name, bytes and the expected reading of every awkward upload."""
    for group in (_encodings, _damages, _entities, _sizes, _other_formats, _archives):
        yield from group()


def _encodings() -> Iterator[tuple[str, bytes, Expected]]:
    text = REPORT.decode()
    yield "bom.xml", b"\xef\xbb\xbf" + REPORT, ONE_FAILED
    yield "utf16.xml", text.replace("UTF-8", "UTF-16").encode("utf-16"), ONE_FAILED
    yield "utf16_that_claims_utf8.xml", text.encode("utf-16"), ONE_FAILED
    yield "utf16_big_endian_without_mark.xml", text.encode("utf-16-be"), ONE_FAILED
    yield (
        "latin1_that_claims_utf8.xml",
        REPORT.replace(b"fraud'", b"fr\xe4ud'"),
        Expected(warned="not UTF-8"),
    )
    for name in (b"ISO-8859-1", b"windows-1252"):
        body = REPORT.replace(b"UTF-8", name).replace(b"fraud'", b"fraud\x93\x94'")
        yield f"cp1252_that_claims_{name.decode().lower()}.xml", body, ONE_FAILED
    yield "no_declaration.xml", BODY, ONE_FAILED
    yield "unknown_encoding.xml", REPORT.replace(b"UTF-8", b"klingon-1"), ONE_FAILED


def _damages() -> Iterator[tuple[str, bytes, Expected]]:
    many = BODY.replace(b"<testcase", b'<testcase name="a"/><testcase', 1)
    cut = Expected(tests=1, failed=0, warned="cut off", is_incomplete=True)
    yield "cut_in_a_case.xml", DECLARATION + many[: many.find(b">x<") + 2], cut
    yield "cut_in_an_attribute.xml", DECLARATION + many[: many.find(b"message=") + 12], cut
    yield "blank_lines_first.xml", b"\n\n" + REPORT, ONE_FAILED
    yield "log_lines_first.xml", b"> cargo test\nrunning\n" + REPORT, Expected(warned="before")
    yield "log_lines_last.xml", REPORT + b"make: *** Error 1\n", Expected(warned="text after")
    two = Expected(tests=2, failed=2, warned="joined")
    yield "two_roots.xml", REPORT + BODY, two
    yield "two_documents.xml", REPORT + REPORT, two
    repairs = {
        "control_characters": b">\x1b[31mred\x1b[0m \x00 end<",
        "bad_references": b">&#27;[31m &#x0; &#xFFFF; &#xD800;<",
        "bare_markup": b">a & b < c<",
        "cdata_end_inside": b"><![CDATA[a ]]> b]]><",
    }
    for name, text in repairs.items():
        yield f"{name}.xml", REPORT.replace(b">x<", text), Expected(warned="were")
    yield "stray_quotes.xml", REPORT.replace(b'="assert', b'="said "no" '), Expected(warned="were")
    yield (
        "escaped_quotes.xml",
        REPORT.replace(b'="assert', b'="said \\"no\\" '),
        Expected(warned="were"),
    )
    yield "surrogate_spellings.xml", REPORT.replace(b">x<", b">caf#xDCE9 \\udce9<"), ONE_FAILED


def _entities() -> Iterator[tuple[str, bytes, Expected]]:
    laughs = b"".join(
        b'<!ENTITY l%d "%s">' % (level, b"&l%d;" % (level - 1) * 10) for level in range(1, 10)
    )
    doctypes = {
        "internal_entity": b'<!ENTITY who "billing">',
        "billion_laughs": b'<!ENTITY l0 "lol">' + laughs,
        "quadratic_blowup": b'<!ENTITY a "' + b"A" * 50_000 + b'">',
        "external_entity": b'<!ENTITY x SYSTEM "file:///etc/hostname">',
        "parameter_entity": b'<!ENTITY % p SYSTEM "http://127.0.0.1:9/p">%p;',
    }
    for name, inner in doctypes.items():
        doctype = b"<!DOCTYPE testsuites [" + inner + b"]>"
        yield f"{name}.xml", DECLARATION + doctype + BODY.replace(b">x<", b">&a;<"), NO_DOCTYPE
    external = b'<!DOCTYPE t SYSTEM "http://127.0.0.1:9/x.dtd">'
    yield "external_dtd.xml", DECLARATION + external + BODY, NO_DOCTYPE
    sheet = b'<?xml-stylesheet type="text/xsl" href="http://127.0.0.1:9/x.xsl"?>'
    yield "stylesheet.xml", DECLARATION + sheet + BODY, ONE_FAILED
    include = b'<xi:include xmlns:xi="urn:x" href="file:///etc/hostname" parse="text"/>'
    yield "include.xml", REPORT.replace(b">x<", b">" + include + b"<"), ONE_FAILED


def _sizes() -> Iterator[tuple[str, bytes, Expected]]:
    deep = b'<testsuite name="d">' * 2_000 + b'<testcase name="t"/>' + b"</testsuite>" * 2_000
    yield "deep.xml", deep, Expected(refused="nested deeper than 64")
    yield (
        "long_name.xml",
        REPORT.replace(b'name="t"', b'name="' + b"n" * 100_000 + b'"'),
        ONE_FAILED,
    )
    same = b'<testcase classname="c" name="t"/>' * 5_000
    yield "same_name.xml", b'<testsuite name="s">' + same + b"</testsuite>", Expected(1, 0)
    properties = b'<property name="p" value="v"/>' * 5_000
    yield (
        "many_properties.xml",
        REPORT.replace(b"<failure", b"<properties>" + properties + b"</properties><failure"),
        Expected(warned="properties beyond 200"),
    )


def _other_formats() -> Iterator[tuple[str, bytes, Expected]]:
    others = {
        "empty.xml": (b"", "the file is empty"),
        "blank.xml": (b" \n\t\n", "the file is empty"),
        "page.xml": (b"<!DOCTYPE html><html><body>502</body></html>", "an HTML page"),
        "report.json": (b'{"numTotalTests":1}', "this is JSON"),
        "pointer.xml": (
            b"version https://git-lfs.github.com/spec/v1\noid x\n",
            "a Git LFS pointer",
        ),
        "results.trx": (b"<TestRun/>", "a TRX file"),
        "nunit.xml": (b"<test-run/>", "an NUnit report"),
        "xunit.xml": (b"<assemblies/>", "an xUnit.net report"),
        "upper.xml": (REPORT.replace(b"testcase", b"TestCase"), "in lower case"),
        "text.txt": (b"all good\n", "plain text"),
        "picture.png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary data"),
    }
    for name, (body, words) in others.items():
        yield name, body, Expected(refused=words)


def _archives() -> Iterator[tuple[str, bytes, Expected]]:
    packed = gzip.compress(REPORT, mtime=0)
    yield "report.xml.gz", packed, ONE_FAILED
    yield "gzip_by_another_name.xml", packed, ONE_FAILED
    yield "twice.xml.gz", gzip.compress(packed, mtime=0), Expected(refused="gzipped twice")
    yield "cut.xml.gz", packed[:-6], Expected(refused="cut off")
    bomb = gzip.compress(b" " * 50_000_000, mtime=0)
    yield "bomb.xml.gz", bomb, Expected(refused="more than 200 times")
    yield "many.zip", _zip(), Expected(2, 2)
    yield "many.tar.gz", _tar(), ONE_FAILED
    yield "cut.zip", _zip()[:100], Expected(refused="the zip archive cannot be read")


def _zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/TEST-1.xml", REPORT)
        archive.writestr("../../etc/TEST-2.xml", REPORT.replace(b'"t"', b'"u"'))
        archive.writestr("coverage.xml", "<coverage/>")
        archive.writestr("__MACOSX/._TEST-1.xml", b"\0\5\x16\7")
        archive.writestr("empty.xml", "")
    return file.getvalue()


def _tar() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        entry = tarfile.TarInfo("r/TEST-1.xml")
        entry.size = len(REPORT)
        archive.addfile(entry, io.BytesIO(REPORT))
    return file.getvalue()
