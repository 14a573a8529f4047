"""One file, nothing else: it runs where there is only Python, from 3.8 on."""

import subprocess
import sys
from pathlib import Path

import vermin

from tests.client.jobs import PASSING, make_job
from tests.servers.receiver import Reply, receiving
from triage import client


def test_it_uploads_from_an_empty_folder_without_any_package(tmp_path: Path) -> None:
    with receiving(Reply(201, b'{"conclusion": "passed", "exit_code": 0}')) as receiver:
        job = make_job(tmp_path, receiver.url(""))
        job.write("junit.xml", PASSING)
        done = job.run("upload", "junit.xml", "--gate")

    assert (done.returncode, done.stderr) == (0, "")
    assert receiver.requests[0].path == "/api/v1/uploads?wait=60"
    assert PASSING.encode() in receiver.requests[0].body


def test_it_needs_no_newer_python_than_it_says() -> None:
    config = vermin.Config()
    config.set_eval_annotations(False)
    source = Path(client.__file__).read_text()

    versions = vermin.visit(source, config).minimum_versions()

    assert versions[1] == (3, 8)


def test_help_names_every_command_exit_code_and_setting(tmp_path: Path) -> None:
    text = make_job(tmp_path, "").run("--help").stdout

    for word in ("upload", "finish", "second-pass", "annotate", "TIEBREAK_TOKEN", "  3  on hold"):
        assert word in text


def test_the_server_does_not_need_it_to_be_run(tmp_path: Path) -> None:
    """Importing runs nothing: the server reads its version, pytest its fixture."""
    code = "import sys; sys.argv[1:] = ['upload']; import tiebreak"
    command = [sys.executable, "-c", code]
    make_job(tmp_path, "")

    assert subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout == b""
