"""Hold the reading of reports against a bare walk of the same bytes and against junitparser."""

import random
import subprocess
import sys
import time
from collections.abc import Callable
from xml.parsers import expat

from junitparser import JUnitXml, Properties

from triage.parse.upload import UploadedFile, read_upload

SIZES = (1_000, 10_000, 100_000)
SEED = 20261201
FAILING_SHARE = 0.02
WITH_PROPERTIES_SHARE = 0.20
MOST_TIMES_THE_FLOOR = 3.0
MOST_MEGABYTES = 200
# CPU time, and the least of several rounds taken in turn: other work on the machine disturbs both.
ROUNDS = 7
# Small reports are read more often, so that one interruption is no result.
LEAST_CASES = 100_000
WORDS = ("the", "refund", "was", "issued", "to", "card", "ticket", "billing", "fraud", "order")


def document(cases: int) -> bytes:
    """Return a report as pytest writes it, the same one for the same number of cases."""
    random_ = random.Random(SEED)
    body = "".join(_case(random_, number) for number in range(cases))
    return (
        '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">'
        f'<testsuite name="pytest" errors="0" failures="0" skipped="0" tests="{cases}" '
        'time="1.5" timestamp="2026-12-01T01:24:08.317079+00:00" hostname="host-1">'
        f"{body}</testsuite></testsuites>"
    ).encode()


def _case(random_: random.Random, number: int) -> str:
    inner = ""
    if random_.random() < WITH_PROPERTIES_SHARE:
        inner += (
            '<properties><property name="gen_ai.response.model" value="gpt-4.1-mini-2025-04-14"/>'
            '<property name="tiebreak.expected_label" value="fraud"/>'
            '<property name="tiebreak.label" value="fraud"/></properties>'
        )
    if random_.random() < FAILING_SHARE:
        length = random_.randint(1_000, 3_000)
        text = " ".join(random_.choices(WORDS, k=length // 6))
        inner += (
            '<failure message="AssertionError: assert &apos;billing&apos; == &apos;fraud&apos;">'
            f"&gt; assert label == 'fraud'\nE  assert 'billing' == 'fraud'\n{text}</failure>"
        )
    module = number // 50
    head = f'<testcase classname="tests.test_{module}" name="test_case[{number}]" time="0.123"'
    return f"{head}>{inner}</testcase>" if inner else f"{head} />"


def walk(body: bytes) -> int:
    """Read every element, attribute and text with bare expat and keep nothing."""
    count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += tag == "testcase"

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: None
    parser.CharacterDataHandler = lambda text: None
    parser.Parse(body, True)
    return count


def read_ours(body: bytes) -> int:
    """Read with the product."""
    return read_upload([UploadedFile("report.xml", body)]).reports[0].totals.tests


def read_junitparser(body: bytes) -> int:
    """Read with junitparser what a triage needs: names, time, results with text, properties."""
    count = 0
    for suite in JUnitXml.fromstring(body):
        for case in suite:
            listed = case.child(Properties)
            told = [(each.name, each.value) for each in listed] if listed else []
            results = [(each.type, each.message, each.text) for each in case.result]
            count += (case.classname, case.name, case.time, told, results) is not None
    return count


READERS: dict[str, Callable[[bytes], int]] = {
    "expat": walk,
    "tiebreak": read_ours,
    "junitparser": read_junitparser,
}


def seconds(body: bytes, cases: int) -> dict[str, float]:
    """Return the least CPU time that each reader took."""
    least = dict.fromkeys(READERS, float("inf"))
    for _ in range(max(ROUNDS, LEAST_CASES // cases)):
        for name, read in READERS.items():
            start = time.process_time()
            assert read(body) == cases
            least[name] = min(least[name], time.process_time() - start)
    return least


def megabytes(body: bytes) -> float:
    """Return the peak memory of one reading above an interpreter that holds code and bytes."""
    program = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "from triage.parse.upload import UploadedFile, read_upload\n"
        "def peak():\n"
        "    return int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])\n"
        "body = sys.stdin.buffer.read()\n"
        "before = peak()\n"
        "kept = read_upload([UploadedFile('report.xml', body)])\n"
        "print((peak() - before) / 1024)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=body, check=True, capture_output=True)
    return float(done.stdout)


def main() -> int:
    """Print the table; return 1 when a bound is broken."""
    print(f"{'cases':>8} {'MB':>6} " + " ".join(f"{name + ' s':>14}" for name in READERS), end="")
    print(f" {'x floor':>8} {'peak MB':>8}")
    broken = False
    for cases in SIZES:
        body = document(cases)
        took = seconds(body, cases)
        ratio = took["tiebreak"] / took["expat"]
        peak = megabytes(body)
        print(f"{cases:>8} {len(body) / 1e6:>6.1f} ", end="")
        print(" ".join(f"{value:>14.4f}" for value in took.values()), end="")
        print(f" {ratio:>8.2f} {peak:>8.1f}", flush=True)
        broken |= ratio > MOST_TIMES_THE_FLOOR or took["tiebreak"] > took["junitparser"]
        broken |= peak > MOST_MEGABYTES
    print("BAD: a bound is broken" if broken else "all within bounds")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
