"""What CI does in simulated weeks, and books of what the product should have counted."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.flows.suites import CRASH, FLIP, RATE_LIMIT, WORDING, CaseRun, report

REPOS = ("acme/support-bot", "acme/search", "acme/agents")
CASES = 40
PARTS = 2
REFERENCES_A_DAY = 3
PULLS_A_DAY = 2
MOST_ATTEMPTS = 3
# Of calls: wording differs now and then, a label rarely, the endpoint and the code hardly ever.
WAYS = {
    "text": (WORDING, "fraud", 0.024),
    "label": (FLIP, "billing", 0.004),
    "provider": (RATE_LIMIT, None, 0.003),
    "crash": (CRASH, None, 0.002),
}
# A pull request in three moves the label of one case, for good.
MOVING = 1 / 3

# (repository, case, way), where the way is also "calls" for every call that got an answer.
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Report:
    """One report of one part of an attempt."""

    repo: str
    sha: str
    run_id: str
    attempt: int
    part: int
    at: datetime
    body: bytes
    pull: int | None

    @property
    def fields(self) -> dict[str, str]:
        """What goes beside the report."""
        told = {
            "repo": self.repo,
            "sha": self.sha,
            "run_id": self.run_id,
            "attempt": str(self.attempt),
            "job": "evals",
            "part": f"{self.part}/{PARTS}",
            "at": self.at.isoformat(),
        }
        place = {"branch": "main"} if self.pull is None else {"branch": f"change-{self.pull}"}
        return told | place | ({} if self.pull is None else {"pr": str(self.pull)})


@dataclass
class Books:
    """What was sent, added up beside the product."""

    tallies: Counter[Key] = field(default_factory=Counter)
    days: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    failing: Counter[str] = field(default_factory=Counter)
    reports: int = 0
    attempts: set[tuple[str, str, int]] = field(default_factory=set)
    heads: dict[tuple[str, int], str] = field(default_factory=dict)

    def enter(self, sent: Report, cases: list[CaseRun]) -> None:
        """Enter one report."""
        self.reports += 1
        self.attempts.add((sent.repo, sent.run_id, sent.attempt))
        if sent.pull is not None:
            self.heads[sent.repo, sent.pull] = sent.sha
        for case in cases:
            way = _way_of(case)
            for each in {way, "" if way == "provider" else "calls"} - {"", "pass"}:
                self.tallies[sent.repo, case.name, each] += 1
                self.days[sent.repo, case.name, str(sent.at.date()), each] += 1
            self.failing[sent.repo] += way != "pass"


class Ci:
    """The machines of CI: the same days for the same seed."""

    def __init__(self, seed: int, end: datetime, days: int) -> None:
        self.random = random.Random(seed)
        self.start = end - timedelta(days=days)
        self.books = Books()
        self.number = 0

    def day(self, number: int) -> Iterator[Report]:
        """Return the reports of a day, in the order in which they are sent."""
        for repo in REPOS:
            for _ in range(REFERENCES_A_DAY):
                yield from self._attempt(repo, self._time(number), None, 1, {})
            for _ in range(PULLS_A_DAY):
                yield from self._pull_request(repo, self._time(number))

    def _time(self, day: int) -> datetime:
        return self.start + timedelta(days=day, seconds=self.random.randrange(86_400))

    def _pull_request(self, repo: str, at: datetime) -> Iterator[Report]:
        pull = self.number + 1
        moved = f"test_ticket[{self.random.randrange(CASES)}]"
        changed = {moved: _case(moved, "label")} if self.random.random() < MOVING else {}
        first = self.number
        for attempt in range(1, self.random.randint(1, MOST_ATTEMPTS) + 1):
            self.number = first
            yield from self._attempt(repo, at, pull, attempt, changed)

    def _attempt(
        self, repo: str, at: datetime, pull: int | None, attempt: int, changed: dict[str, CaseRun]
    ) -> Iterator[Report]:
        self.number += 1
        sha, run_id = f"{self.number:040x}", f"ci-{self.number}"
        cases = [changed.get(name) or _case(name, self._drawn()) for name in _names()]
        for part in range(1, PARTS + 1):
            own = cases[part - 1 :: PARTS]
            sent = Report(repo, sha, run_id, attempt, part, at, report(own), pull)
            self.books.enter(sent, own)
            yield sent

    def _drawn(self) -> str:
        drawn = self.random.random()
        for way, (*_, share) in WAYS.items():
            drawn -= share
            if drawn < 0:
                return way
        return "pass"


def _names() -> list[str]:
    return [f"test_ticket[{number}]" for number in range(CASES)]


def _case(name: str, way: str) -> CaseRun:
    if way == "pass":
        return CaseRun(name)
    failure, label, _ = WAYS[way]
    return CaseRun(name, failure, label, properties=_marked())


def _marked() -> dict[str, str]:
    """Return what a test tells before its call fails, so that its case stays in one epoch."""
    return {"gen_ai.response.model": "acme-llm-2026-09-01", "tiebreak.expected_label": "fraud"}


def _way_of(case: CaseRun) -> str:
    return next((way for way, (text, *_) in WAYS.items() if case.failure == text), "pass")
