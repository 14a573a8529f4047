"""(f) The same file and the same question, given to testo-core, which keeps JUnit histories too."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.bench_parse import document
from tests.benchmarks.storage.uploads import upload

PEER = "testo-core[api,db]==1.3.0"
CASES = 2_000
UPLOADS = 6
QUESTIONS = 20
LEAST_TIMES_FASTER = 20.0
REPO = "bench/peer"


def main() -> bool:
    """Print the table; tell whether the product is as much faster as it has to be."""
    print(f"(f) a file of {CASES} cases and its flaky tests, beside {PEER}")
    with tempfile.TemporaryDirectory() as folder:
        peer = _install(Path(folder))
        if peer is None:
            print(f"BAD: {PEER} could not be installed, so nothing was measured")
            return False
        body = document(CASES)
        (Path(folder) / "report.xml").write_bytes(body)
        return _compare(peer, Path(folder), body)


def _install(folder: Path) -> Path | None:
    """Return the peer's program, in an environment of its own."""
    subprocess.run([sys.executable, "-m", "venv", folder / "peer"], check=True)
    pip = [folder / "peer/bin/python", "-m", "pip", "install", "--quiet", PEER]
    installed = subprocess.run(pip, capture_output=True, check=False)
    return folder / "peer/bin/testo" if installed.returncode == 0 else None


def _compare(peer: Path, folder: Path, body: bytes) -> bool:
    from django.http import QueryDict

    from triage.upload.acceptance import find_or_add_repository
    from triage.web.pages.repository import repository_page

    repository = find_or_add_repository(REPO)

    def ask(*arguments: str) -> float:
        start = time.perf_counter()
        # A report with failures ends with 1.
        quiet = os.environ | {"NO_COLOR": "1"}
        command = [peer, *arguments]
        subprocess.run(command, cwd=folder, env=quiet, capture_output=True, check=False)
        return time.perf_counter() - start

    print(f"{'step':>8} {'peer s':>8} {'of it start s':>14} {'ours s':>8} {'x faster':>9}")
    numbers = iter(range(UPLOADS))
    rows = (
        ("upload", UPLOADS, ("ingest", "report.xml", "--cycle", "bench"),
         lambda: upload(REPO, next(numbers), body)),
        ("flaky", QUESTIONS, ("flaky", "--cycle", "bench", "--json"),
         lambda: _timed(lambda: repository_page(repository, QueryDict()))),
    )  # fmt: skip
    is_good = True
    for name, times, arguments, ours in rows:
        starting = statistics.median(ask("version") for _ in range(3))
        theirs = statistics.median(ask(*arguments) for _ in range(3))
        took = statistics.median(ours() for _ in range(times))
        # Its process starts each time, the product's is there already: that is no merit of ours.
        faster = (theirs - starting) / took
        is_good &= faster >= LEAST_TIMES_FASTER
        print(f"{name:>8} {theirs:>8.3f} {starting:>14.3f} {took:>8.3f} {faster:>9.1f}", flush=True)
    return is_good


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
