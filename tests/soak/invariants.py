"""What has to be true in the end, whatever happened on the way."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, Sum

from budgets.models import Charge
from tests.servers.github.world import World
from tests.soak.ci import Books
from triage.models import (
    Epoch,
    EpochDay,
    EpochHour,
    Finding,
    Publication,
    Result,
    Run,
    Upload,
    Verdict,
)
from triage.publish.check_run import CONCLUSIONS
from triage.terms import Conclusion, Difference, FindingKind, PublicationState, UploadState
from triage.verdict.rules import is_charged

COUNTED = ("calls", "text", "label", "provider", "crash")
# The first days warm caches up; afterwards nothing may grow.
MOST_GROWTH = 1.1


@dataclass(frozen=True)
class Line:
    """One invariant with what was expected and what was found."""

    name: str
    expected: object
    found: object

    @property
    def holds(self) -> bool:
        """Whether it is true."""
        return self.expected == self.found


def check(books: Books, world: World, memory: list[float]) -> list[Line]:
    """Return every invariant."""
    found: list[Callable[[], Iterator[Line]]] = [
        lambda: _uploads(books),
        lambda: _counters(books),
        _ledger,
        lambda: _shown(books, world),
        lambda: _memory(memory),
    ]
    return [line for each in found for line in each()]


def _uploads(books: Books) -> Iterator[Line]:
    judged = Upload.objects.filter(state=UploadState.JUDGED).count()
    yield Line("reports sent = uploads judged", books.reports, judged)
    yield Line("no upload beside these", books.reports, Upload.objects.count())
    yield Line("attempts = runs", len(books.attempts), Run.objects.count())
    current = Verdict.objects.filter(is_current=True)
    yield Line("one verdict in force per run", len(books.attempts), current.count())
    incomplete = current.exclude(document__parts__got=2).count()
    yield Line("verdicts that miss a part", 0, incomplete)
    yield Line("failing results", sum(books.failing.values()), Result.objects.count())


def _counters(books: Books) -> Iterator[Line]:
    sums = {name: Sum(name) for name in COUNTED}
    rows = Epoch.objects.values_list("repository__full_name", "case__name").annotate(**sums)
    found = Counter(
        {
            (repo, case, name): count
            for repo, case, *counts in rows
            for name, count in zip(COUNTED, counts, strict=True)
            if count
        }
    )
    yield Line("counters of all cases that differ", 0, _differences(books.tallies, found))
    days = EpochDay.objects.values_list("repository__full_name", "epoch__case__name", "day")
    by_day = Counter(
        {
            (repo, case, str(day), name): count
            for repo, case, day, *counts in days.annotate(**sums)
            for name, count in zip(COUNTED, counts, strict=True)
            if count
        }
    )
    yield Line("counters of all days that differ", 0, _differences(books.days, by_day))
    total = Epoch.objects.aggregate(**sums)
    yield Line("hours add up to the same", total, EpochHour.objects.aggregate(**sums))


def _ledger() -> Iterator[Line]:
    events = Charge.objects.values("event").annotate(net=Sum("amount"), entries=Count("pk"))
    wrong = [each for each in events if each["net"] not in {0, 1} or each["entries"] > 9]
    yield Line("events charged twice or taken back twice", 0, len(wrong))
    yield Line("charges for flips", 0, Charge.objects.filter(difference="label").count())
    newest = {(run.repository_id, run.ci_run_id): run.pk for run in Run.objects.order_by("attempt")}
    findings = Finding.objects.filter(
        verdict__is_current=True, verdict__run__in=newest.values()
    ).select_related("verdict__run")
    owed = Counter(
        (each.verdict.run.ci_run_id, each.case_id)
        for each in findings
        if is_charged(FindingKind(each.kind), Difference(each.difference))
    )
    paid = Counter(
        {
            (run, case): net
            for run, case, net in Charge.objects.values_list("run__ci_run_id", "case_id")
            .annotate(net=Sum("amount"))
            .values_list("run__ci_run_id", "case_id", "net")
            if net
        }
    )
    yield Line("cases whose charges are not their findings", 0, len(owed.keys() ^ paid.keys()))
    flips = findings.filter(Q(difference="label"), kind__in=["expected_flake", "muted"])
    yield Line("flips that passed as flakes", 0, flips.count())


def _shown(books: Books, world: World) -> Iterator[Line]:
    states = Publication.objects.exclude(state=PublicationState.DONE)
    yield Line("publications not done", 0, states.count())
    yield Line("broken rules of GitHub's API", [], world.violations())
    checks = [each for repo in world.repositories.values() for each in repo.checks.values()]
    keys = Counter(each["external_id"] for each in checks)
    yield Line("verdicts shown by two checks", 0, sum(count > 1 for count in keys.values()))
    comments = Counter(
        (repo.full_name, each["issue"])
        for repo in world.repositories.values()
        for each in repo.comments.values()
    )
    yield Line("pull requests with two comments", 0, sum(n > 1 for n in comments.values()))
    told = Verdict.objects.filter(is_current=True, run__pr__isnull=False)
    failing = set(
        told.exclude(findings__isnull=True).values_list("repository__full_name", "run__pr")
    )
    yield Line("failing pull requests without a comment", set(), failing - set(comments))
    last = {each["head_sha"]: each["conclusion"] for each in checks}
    newest = told.order_by("run__attempt").values_list("run__sha", "conclusion")
    wanted = {sha: CONCLUSIONS[Conclusion(conclusion)] for sha, conclusion in newest}
    differ = {sha for sha, conclusion in wanted.items() if last.get(sha) != conclusion}
    yield Line("heads whose check is not their verdict", set(), differ)
    yield Line("heads with a check", len(books.heads), len(wanted))


def _memory(memory: list[float]) -> Iterator[Line]:
    quarter = max(len(memory) // 4, 1)
    early, late = max(memory[:quarter]), max(memory[-quarter:])
    yield Line(
        f"the worker's memory is flat ({early:.0f} MiB, then {late:.0f})",
        True,
        late <= MOST_GROWTH * early,
    )


def _differences(expected: Counter[Any], found: Counter[Any]) -> int:
    return sum(expected[key] != found[key] for key in expected.keys() | found.keys())
