"""Mutate real and hostile reports, and hold the reading to: no traceback, no hang, no flood.

``python -m tests.parse.fuzz --count 100000 [--seed N]`` prints one line at the end and returns 1
when anything was found; a finding is kept as a file that ``--input FILE`` reads again.
"""

import argparse
import random
import resource
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.parse.hostile import uploads
from triage.classify.differences import read_difference
from triage.classify.fingerprints import fingerprint
from triage.parse.archives import UploadedFile
from triage.parse.identity import case_key
from triage.parse.report import Report, UploadReading
from triage.parse.upload import read_upload

CORPUS = Path(__file__).parent.parent / "data" / "junit" / "dev"
# Larger seeds cost time and hold nothing that smaller ones do not.
LARGEST_SEED = 30_000
# What no seed needs, however it is mutated; the machine may be busy with other work.
LONGEST_S = 5.0
MOST_BYTES = 2 * 2**30
TOKENS = (
    *(b"<", b">", b"&", b'"', b"'", b"/>", b"]]>", b"<![CDATA[", b"<!--", b"-->", b"<?xml ?>"),
    *(b"<testcase>", b"</testcase>", b"<testsuite>", b"</testsuite>", b"<failure>", b"</failure>"),
    *(b"<testsuites>", b"<property name='tiebreak.observations' value='[[[['/>", b"<error/>"),
    *(b"<property name='tiebreak.label'>", b"<flakyFailure>", b"<rerunFailure/>", b"<!DOCTYPE x>"),
    *(b"\0", b"\x1b[31m", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"&#0;", b"&#xD800;"),
    *(b"\\ud800", b"nan", b"1e999", b"-1", b"{", b"[" * 50, b"(" * 50, b" != ", b" == "),
    *(b"assert ", b"E   assert '", b"expected: <", b"Expected: ", b"Received: ", b"PK\x03\x04"),
)


@dataclass
class Tally:
    """What a run of the fuzzer saw."""

    inputs: int = 0
    read: int = 0
    slowest_s: float = 0.0
    findings: list[tuple[bytes, str]] = field(default_factory=list)

    def __str__(self) -> str:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return (
            f"{self.inputs} inputs, {self.read} read as reports, {len(self.findings)} findings, "
            f"slowest {self.slowest_s:.2f} s, peak {peak:.0f} MB"
        )


def seeds() -> list[bytes]:
    """Return the reports that are mutated."""
    real = [file.read_bytes() for file in sorted(CORPUS.iterdir())]
    hostile = [body for _, body, _ in uploads()]
    return [body for body in (*real, *hostile) if 0 < len(body) <= LARGEST_SEED]


def mutations(count: int, seed: int) -> Iterator[bytes]:
    """Yield mutated reports, the same ones for the same seed."""
    chance = random.Random(seed)
    known = seeds()
    for _ in range(count):
        body = chance.choice(known)
        for _ in range(chance.randint(1, 6)):
            body = _mutated(chance, body, known)
        yield body


def _mutated(chance: random.Random, body: bytes, known: list[bytes]) -> bytes:
    start = chance.randrange(len(body) + 1)
    stop = min(start + chance.choice((1, 1, 4, 30, 400)), len(body))
    match chance.randrange(7):
        case 0:
            return body[:start] + bytes([chance.randrange(256)]) + body[start + 1 :]
        case 1:
            return body[:start] + body[stop:]
        case 2:
            return body[:stop] + body[start:stop] * chance.choice((1, 2, 40)) + body[stop:]
        case 3 | 4:
            return body[:start] + chance.choice(TOKENS) + body[start:]
        case 5:
            return body[:start]
        case _:
            other = chance.choice(known)
            return body[:start] + other[chance.randrange(len(other)) :]


def examine(body: bytes) -> UploadReading:
    """Read an input as the product does, and assert what holds for every reading."""
    reading = read_upload([UploadedFile("fuzz.xml", body)])
    assert reading.reports or reading.refused or reading.ignored
    for report in reading.reports:
        _examine_report(report)
    return reading


def _examine_report(report: Report) -> None:
    totals = report.totals
    assert totals.tests == totals.passed + totals.failed + totals.errored + totals.skipped
    for result in report.results:
        case_key(result.case)
        _assert_storable(*result.case.suite, result.case.file, result.case.classname)
        _assert_storable(result.case.name)
        assert result.duration_s is None or result.duration_s >= 0
        for attempt in result.tries:
            for each in attempt.evidence.observations:
                _assert_storable(each.expected or "", each.observed or "")
            if attempt.outcome.is_failing:
                stated = read_difference(attempt, frozenset({"fraud", "billing"}))
                for pair in stated.pairs:
                    _assert_storable(pair.expected, pair.observed)
            for failure in attempt.failures:
                _assert_storable(failure.type, failure.message, failure.text)
                fingerprint(failure)


def _assert_storable(*texts: str) -> None:
    for text in texts:
        assert "\0" not in text
        text.encode()


def run(count: int, seed: int) -> Tally:
    """Examine mutated reports and tally what happened."""
    tally = Tally()
    for body in mutations(count, seed):
        start = time.perf_counter()
        try:
            tally.read += bool(examine(body).reports)
        except Exception:  # whatever is raised is a finding
            tally.findings.append((body, traceback.format_exc(limit=-4)))
        took = time.perf_counter() - start
        if took > LONGEST_S:
            tally.findings.append((body, f"took {took:.1f} s"))
        tally.slowest_s = max(tally.slowest_s, took)
        tally.inputs += 1
    return tally


def main() -> int:
    """Run the fuzzer within bounded memory."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=100_000)
    arguments.add_argument("--seed", type=int, default=20261201)
    arguments.add_argument("--input", type=Path, help="examine one kept finding")
    given = arguments.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    if given.input:
        print(examine(given.input.read_bytes()))
        return 0
    tally = run(given.count, given.seed)
    for number, (body, what) in enumerate(tally.findings[:20]):
        kept = Path(f"fuzz-finding-{number}.bin")
        kept.write_bytes(body)
        print(f"{kept}: {what}")
    print(tally)
    return int(bool(tally.findings))


if __name__ == "__main__":
    sys.exit(main())
