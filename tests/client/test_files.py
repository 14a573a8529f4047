"""Which files are sent, and as what."""

import gzip
from pathlib import Path

import pytest

from triage.client import COMPRESSED_FROM, find_files, form, require_files


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay reports into a folder and go there."""
    for name in ("a.xml", "reports/b.xml", "reports/deep/c.xml", "reports/log.txt", "r[1].xml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<testsuite/>")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["a.xml"], ["a.xml"]),
        (["reports"], ["reports/b.xml", "reports/deep/c.xml"]),
        (["reports/*"], ["reports/b.xml", "reports/deep/c.xml", "reports/log.txt"]),
        (["**/*.xml"], ["a.xml", "r[1].xml", "reports/b.xml", "reports/deep/c.xml"]),
        (["a.xml", "*.xml"], ["a.xml", "r[1].xml"]),
        (["r[1].xml"], ["r[1].xml"]),
        (["missing.xml"], []),
    ],
)
def test_paths_globs_and_folders_name_each_file_once(
    patterns: list[str], expected: list[str]
) -> None:
    assert [path.as_posix() for path in find_files(patterns)] == expected


def test_a_large_report_is_sent_compressed() -> None:
    Path("large.xml").write_bytes(b"x" * COMPRESSED_FROM)

    (file,) = require_files(["large.xml"])

    assert file.name == "large.xml.gz"
    assert gzip.decompress(file.body) == b"x" * COMPRESSED_FROM


def test_a_file_name_cannot_break_out_of_its_header() -> None:
    name = 'a"\r\nX-Evil: 1.xml'
    Path(name).write_text("<testsuite/>")

    body, kind = form({"repo": "acme/bot"}, require_files(['a"*.xml']))

    assert b'filename="a___X-Evil: 1.xml"' in body
    assert body.count(kind.split("boundary=")[1].encode()) == 3
