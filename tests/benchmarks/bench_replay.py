"""Replay real suites through the real door, second passes included, and count wrong verdicts.

Every answer is one that a model gave. A suite is 200 items drawn from the recorded ones; its
history goes in run by run, then a pull request that changed nothing, and the same pull request
with one label moved. What was blocked, held, missed and repeated is printed with its interval,
beside what other gates make of the same answers.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from budgets.second_pass import WAVES
from tests.benchmarks.other_gates import blocked_by

LABELS = Path(__file__).parent.parent / "data" / "llm-runs" / "bench_labels.npz"
CASES = 200
REPEATS = WAVES[-1]
START = datetime(2026, 9, 1, tzinfo=UTC)
REPO = "bench/replay"
OURS = "Tiebreak"


@dataclass
class Tally:
    """Verdicts over a number of pull requests."""

    runs: int = 0
    blocked: int = 0
    held: int = 0
    missed: int = 0
    repeats: int = 0

    def line(self, name: str) -> str:
        """Return the tally as one line of the table."""
        from budgets.intervals import wilson

        def share(count: int) -> str:
            interval = wilson(count, self.runs)
            return (
                f"{count / self.runs:5.3f} ({float(interval.low):.3f}-{float(interval.high):.3f})"
            )

        each = self.repeats / self.runs
        shares = "  ".join(share(count) for count in (self.blocked, self.held, self.missed))
        return f"{name:34s} {shares}  {each:6.1f}"


@dataclass(frozen=True)
class PullRequest:
    """The answers of a pull request: first call and repeats per case, and which case moved."""

    answers: np.ndarray
    moved: int | None


def set_up(folder: str) -> None:
    """Start the product on a database of its own."""
    os.environ |= {
        "TIEBREAK_DATA_DIR": folder,
        "DATABASE_URL": "",
        "BROKER_URL": "",
        "DJANGO_SETTINGS_MODULE": "triage.settings",
    }
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous=OFF")


def report(names: list[str], expected: np.ndarray, observed: np.ndarray) -> bytes:
    """Return the report of a run in which these cases were executed once."""
    cases = "".join(
        f"<testcase classname='evals' name={quoteattr(name)}><properties>"
        f"<property name='tiebreak.expected_label' value='L{want}'/>"
        f"<property name='tiebreak.label' value='L{got}'/></properties>"
        + ("" if want == got else f"<failure>assert 'L{got}' == 'L{want}'</failure>")
        + "</testcase>"
        for name, want, got in zip(names, expected, observed, strict=True)
    )
    return f"<testsuite name='pytest'>{cases}</testsuite>".encode()


def take(body: bytes, repo: str, sha: int, **told: Any) -> dict[str, Any]:
    """Take a report through acceptance and the pipeline; return the verdict."""
    from triage import pipeline
    from triage.models import Verdict
    from triage.parse.upload import UploadedFile
    from triage.upload.acceptance import accept
    from triage.upload.submission import Submission

    told = {"at": START + timedelta(hours=sha)} | told
    files = (UploadedFile("junit.xml", body),)
    accepted = accept(Submission(repo=repo, sha=f"{sha:040x}", files=files, **told))
    pipeline.process(accepted.upload.pk)
    document: dict[str, Any] = Verdict.objects.get(
        run=accepted.upload.run, is_current=True
    ).document
    return document


def judge(
    pull_request: PullRequest, repo: str, expected: np.ndarray, first: int
) -> tuple[dict[str, Any], int]:
    """Take a pull request with its second pass; return the last verdict and the repeats it took."""
    names = [f"item[{number}]" for number in range(CASES)]
    told = {"pr": 1, "branch": "change", "run_id": "ci"}
    document = take(report(names, expected, pull_request.answers[:, 0]), repo, first, **told)
    done = np.zeros(CASES, dtype=int)
    attempt, repeats = 1, 0
    last = pull_request.answers.shape[1] - 1
    while document["second_pass"]["cases"] and attempt <= last:
        attempt += 1
        planned = [names.index(case["name"]) for case in document["second_pass"]["cases"]]
        done[planned] += 1
        repeats += len(planned)
        observed = pull_request.answers[planned, done[planned]]
        body = report([names[each] for each in planned], expected[planned], observed)
        document = take(body, repo, first, attempt=attempt, **told)
    return document, repeats


def count(tally: Tally, document: dict[str, Any], repeats: int, moved: int | None) -> None:
    """Add one pull request to a tally."""
    found = {finding["case"]: finding["finding"] for finding in document["findings"]}
    of_moved = found.pop(f"evals::item[{moved}]", None)
    tally.runs += 1
    tally.repeats += repeats
    tally.blocked += "label_regression" in found.values()
    tally.held += "near_tie" in found.values()
    tally.missed += moved is not None and of_moved not in {"label_regression", "near_tie"}


def count_others(
    tallies: dict[str, Tally], before: np.ndarray, expected: np.ndarray, asked: PullRequest
) -> None:
    """Add what other gates make of a pull request."""
    failing = np.flatnonzero(asked.answers[:, 0] != expected)
    is_moved = failing == asked.moved
    gates = blocked_by(before[failing], asked.answers[failing], expected[failing], CASES)
    for name, (blocked, repeats) in gates.items():
        tally = tallies.setdefault(name, Tally())
        tally.runs += 1
        tally.repeats += repeats
        tally.blocked += bool((blocked & ~is_moved).any())
        tally.missed += bool((~blocked & is_moved).any())


def variants(
    answers: np.ndarray, expected: np.ndarray, rng: np.random.Generator
) -> Iterator[tuple[str, PullRequest]]:
    """Return a pull request that changed nothing, and two in which one label moved."""
    yield "unchanged", PullRequest(answers, None)
    for share in (1.0, 0.6):
        case = int(rng.integers(CASES))
        others = [kind for kind in range(11) if kind != expected[case]]
        moved = answers.copy()
        changed = (moved[case] == expected[case]) & (rng.random(answers.shape[1]) < share)
        moved[case][changed] = rng.choice(others)
        # A label that does not show at first raises no question, so nothing is missed by it.
        if moved[case][0] != expected[case]:
            yield f"one label moved, p={share:g}", PullRequest(moved, case)


def replay(key: str, history: int, suites: int) -> dict[str, dict[str, Tally]]:
    """Replay suites of one recorded set; return a tally per variant and gate."""
    from django.db import transaction

    with np.load(LABELS) as stored:
        labels = stored[key]
    rng = np.random.default_rng(4)
    tallies: dict[str, dict[str, Tally]] = {}
    names = [f"item[{number}]" for number in range(CASES)]
    for suite in range(suites):
        repo = f"{REPO}-{key}-{history}-{suite}"
        items = rng.choice(len(labels), CASES, replace=False)
        order = rng.permutation(labels.shape[1])
        drawn = labels[items][:, order].astype(int)
        before = drawn[:, :history]
        expected = np.array([np.bincount(row).argmax() for row in before])
        for run in range(history):
            take(report(names, expected, before[:, run]), repo, run + 1)
        # Near the end of the recorded calls the second pass has fewer of them than it may ask for.
        for start in range(history, drawn.shape[1] - WAVES[-2], REPEATS + 1):
            answers = drawn[:, start : start + REPEATS + 1]
            for name, pull_request in variants(answers, expected, rng):
                # Taken back afterwards, so that every variant meets the same history.
                with transaction.atomic():
                    document, repeats = judge(pull_request, repo, expected, 1000 + start)
                    transaction.set_rollback(True)
                gates = tallies.setdefault(name, {OURS: Tally()})
                count(gates[OURS], document, repeats, pull_request.moved)
                count_others(gates, before, expected, pull_request)
    return tallies


def main() -> int:
    """Replay and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suites", type=int, default=6, help="suites per setting")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        set_up(folder)
        print(f"{'':34s} {'blocked by others':20s} {'held by others':20s} {'missed':20s} repeats")
        for key, history in (("tcs_T0", 10), ("tcs_T0", 20), ("tcs_T0", 35), ("tcs_T1", 20)):
            for name, gates in replay(key, history, options.suites).items():
                for gate, tally in gates.items():
                    label = f"{key} H={history} {name}" if gate == OURS else f"    {gate}"
                    print(tally.line(label), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
