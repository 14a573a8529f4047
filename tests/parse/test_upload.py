"""Files as they come: cut, damaged, hostile, packed, mislabelled."""

import gzip
import io
import tarfile
import zipfile

import pytest

from tests.parse.reports import case, junit, read, refusal
from triage.parse.archives import UploadedFile
from triage.parse.limits import Limits
from triage.parse.upload import read_upload

FAILURE = "<failure message=\"assert 'billing' == 'fraud'\">x</failure>"
ONE_FAILED = b'<?xml version="1.0" encoding="UTF-8"?>\n' + junit([case(inner=FAILURE)])


def failed(body: bytes) -> tuple[int, int]:
    """Return (tests, failed) of a readable report."""
    totals = read(body).totals
    return totals.tests, totals.failed


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"\xef\xbb\xbf" + ONE_FAILED, id="byte order mark"),
        pytest.param(ONE_FAILED.decode().encode("utf-16"), id="UTF-16 that claims UTF-8"),
        pytest.param(ONE_FAILED.decode().encode("utf-16-le"), id="UTF-16 without a mark"),
        pytest.param(ONE_FAILED.replace(b">x<", b">fr\xe4ud<"), id="latin-1 that claims UTF-8"),
        pytest.param(
            ONE_FAILED.replace(b"UTF-8", b"ISO-8859-1").replace(b">x<", b">\x93q\x94<"),
            id="cp1252 that claims latin-1",
        ),
        pytest.param(b"\n\n" + ONE_FAILED, id="blank lines first"),
        pytest.param(b"> cargo test\nrunning\n" + ONE_FAILED, id="log lines first"),
        pytest.param(ONE_FAILED + b"make: *** [test] Error 1\n", id="log lines last"),
        pytest.param(ONE_FAILED.replace(b">x<", b">\x1b[31mred\x00<"), id="control characters"),
        pytest.param(ONE_FAILED.replace(b">x<", b">&#27;&#x0;&#xD800;<"), id="bad references"),
        pytest.param(ONE_FAILED.replace(b">x<", b">a & b < c<"), id="unescaped text"),
        pytest.param(ONE_FAILED.replace(b'="assert', b'="said "no" as'), id="stray quotes"),
        pytest.param(
            ONE_FAILED.replace(b">x<", b"><![CDATA[a ]]> b]]><"), id="CDATA end in the text"
        ),
        pytest.param(
            b'<j:testsuites xmlns:j="urn:x"><j:testsuite name="s"><j:testcase name="t">'
            b"<j:failure/></j:testcase></j:testsuite></j:testsuites>",
            id="prefixed tags",
        ),
        pytest.param(gzip.compress(ONE_FAILED), id="gzip by its first bytes"),
    ],
)
def test_a_report_is_read_whatever_happened_to_its_bytes(body: bytes) -> None:
    assert failed(body) == (1, 1)


def test_a_repair_says_what_was_repaired_at_which_line() -> None:
    report = read(ONE_FAILED.replace(b">x<", b">a & b<"))

    assert [(w.line, w.message) for w in report.warnings] == [
        (2, "unescaped characters in text were escaped")
    ]


def test_two_documents_in_one_file_are_both_read() -> None:
    assert failed(ONE_FAILED + ONE_FAILED.replace(b'"t"', b'"u"')) == (2, 2)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file is empty"),
        (b"<!DOCTYPE html><html><body>502</body></html>", "an HTML page"),
        (b'{"numTotalTests":1}', "this is JSON"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer"),
        (b"all good\n", "plain text"),
        (b"<coverage/>", "a coverage report"),
        (b"<testsuites><TestCase/></testsuites>", "<TestCase> where JUnit has <testcase>"),
    ],
)
def test_what_is_no_report_is_named_as_what_it_is(body: bytes, words: str) -> None:
    assert words in refusal(body)


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>',
        '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE t SYSTEM "http://127.0.0.1:9/x.dtd">',
        '<!DOCTYPE t [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p">%p;]>',
    ],
)
def test_a_doctype_is_refused_before_anything_is_expanded(doctype: str) -> None:
    body = f'<?xml version="1.0"?>{doctype}<testsuite><testcase name="t"/></testsuite>'

    assert "a DOCTYPE is not taken" in refusal(body.encode())


def test_includes_and_stylesheets_are_not_followed() -> None:
    include = '<xi:include xmlns:xi="urn:x" href="file:///etc/hostname" parse="text"/>'
    body = b'<?xml-stylesheet href="http://127.0.0.1:9/x.xsl"?>' + junit(
        [case(inner=f"<failure>{include}</failure>")]
    )

    (result,) = read(body).results
    assert result.tries[0].failures[0].text == ""


def test_a_cut_report_keeps_its_complete_cases_and_says_that_it_is_incomplete() -> None:
    whole = junit([case(f"t{i}", FAILURE) for i in range(30)])

    report = read(whole[: len(whole) // 2])

    assert report.is_incomplete
    assert 0 < report.totals.tests < 30
    assert report.totals.failed == report.totals.tests
    assert "cut off" in report.warnings[-1].message


def test_deep_nesting_ends_with_a_message_and_no_recursion() -> None:
    deep = b'<testsuite name="d">' * 2000 + b'<testcase name="t"/>' + b"</testsuite>" * 2000

    assert refusal(deep) == "elements are nested deeper than 64, which no test tool does"


@pytest.mark.parametrize("place", ["text", "attribute"])
def test_eleven_megabytes_of_text_are_cut_and_their_length_is_kept(place: str) -> None:
    long = "A" * 11_000_000
    inner = f"<failure>{long}</failure>" if place == "text" else f'<failure message="{long}"/>'

    (result,) = read(junit([case(inner=inner)])).results

    (failure,) = result.tries[0].failures
    assert failure.length == 11_000_000
    assert len(failure.text) < 17_000
    assert len(failure.message) <= 4_000


def test_archives_are_opened_and_what_is_no_report_is_listed() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a/TEST-1.xml", ONE_FAILED)
        archive.writestr("../../etc/TEST-2.xml", ONE_FAILED.replace(b'"t"', b'"u"'))
        archive.writestr("cov.xml", "<coverage/>")
        archive.writestr("__MACOSX/._TEST-1.xml", b"\0\5\x16\7")
        archive.writestr("empty.xml", "")
        archive.writestr("notes.md", "hello")

    reading = read_upload([UploadedFile("many.zip", packed.getvalue())])

    assert [report.totals.failed for report in reading.reports] == [1, 1]
    assert {each.file.rsplit("/", 1)[-1]: each.reason for each in reading.ignored} == {
        "cov.xml": "this is a coverage report, not JUnit XML; upload the test report instead",
        "._TEST-1.xml": "metadata of macOS",
        "empty.xml": "empty",
        "notes.md": "not a report by its name",
    }


def test_a_tar_in_a_gzip_is_opened() -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("r/TEST-1.xml")
        entry.size = len(ONE_FAILED)
        archive.addfile(entry, io.BytesIO(ONE_FAILED))

    assert failed(packed.getvalue()) == (1, 1)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (gzip.compress(gzip.compress(ONE_FAILED)), "gzipped twice"),
        (gzip.compress(ONE_FAILED)[:-6], "damaged or cut off"),
        (gzip.compress(b" " * 100_000_000), "more than 200 times its size"),
        (b"PK\x03\x04garbage", "the zip archive cannot be read"),
    ],
)
def test_an_archive_that_cannot_be_opened_says_why(body: bytes, words: str) -> None:
    assert words in refusal(body)


def test_a_limit_on_cases_is_stated_in_the_refusal() -> None:
    body = junit([case(f"t{i}") for i in range(6)])

    reading = read_upload([UploadedFile("r.xml", body)], Limits(cases=5))

    assert reading.refused[0].error == "the file holds more than 5 test cases; send it in parts"


def test_good_files_count_beside_bad_ones() -> None:
    reading = read_upload([UploadedFile("a.xml", ONE_FAILED), UploadedFile("b.xml", b"")])

    assert len(reading.reports) == 1
    assert [each.file for each in reading.refused] == ["b.xml"]


def test_a_zip_that_was_made_to_break_its_reader_is_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.xml", ONE_FAILED)
    # The directory says that the member starts before the file does.
    body = b"PK\x03\x04" + packed.getvalue()[14:]

    assert "the zip archive cannot be read" in refusal(body)


def test_the_same_file_twice_counts_once() -> None:
    reading = read_upload([UploadedFile("a.xml", ONE_FAILED), UploadedFile("a.xml", ONE_FAILED)])

    first, second = reading.reports
    assert (len(first.results), len(second.results)) == (1, 0)
    assert second.totals.failed == 1
    assert second.warnings[0].message == "the same content as a.xml, which counts once"


def test_parts_beside_their_aggregate_count_once() -> None:
    suite = (
        '<testsuite name="A" timestamp="2026-12-01T01:00:00"><testcase classname="A" name="t" '
        'time="0.1"/></testsuite>'
    )
    other = suite.replace('"A"', '"B"')
    aggregate = f"<testsuites>{suite}{other}</testsuites>".encode()

    reading = read_upload(
        [UploadedFile("TEST-A.xml", suite.encode()), UploadedFile("TESTS.xml", aggregate)]
    )

    assert [[each.case.classname for each in report.results] for report in reading.reports] == [
        ["A"],
        ["B"],
    ]
    assert reading.reports[1].warnings[-1].message == (
        "1 suites with 1 cases were left out, since TEST-A.xml told of them"
    )


def test_another_run_of_the_same_suite_is_kept() -> None:
    first = b'<testsuite name="A" timestamp="1"><testcase classname="A" name="t"/></testsuite>'

    reading = read_upload(
        [UploadedFile("a.xml", first), UploadedFile("b.xml", first.replace(b'"1"', b'"2"'))]
    )

    assert [len(report.results) for report in reading.reports] == [1, 1]
