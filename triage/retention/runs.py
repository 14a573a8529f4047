"""Prune runs: mark them, then delete what they hold. The row of a run stays.

The mark comes first and refuses further reports, so that a process killed in between leaves runs
that the next one goes on with. A CI run goes with all its attempts, since its verdict rests on all.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from django.db.models import Exists, Model, OuterRef, QuerySet
from django.utils import timezone

from triage.models import Finding, Observation, Part, Result, Run, Upload, Verdict
from triage.retention.batches import BATCH, delete_in_batches, locked
from triage.retention.questions import commits_in_question
from triage.retention.steps import Step
from triage.terms import OPEN_UPLOADS

RUNS_AT_ONCE = 20
# Parts come last: a marked run that has one is not done.
HELD: Sequence[tuple[str, type[Model], str]] = (
    ("findings", Finding, "verdict__run__in"),
    ("observations", Observation, "result__run__in"),
    ("results", Result, "run__in"),
    ("uploads", Upload, "run__in"),
    ("parts", Part, "run__in"),
)


def run_steps(repository_id: int, cutoff: datetime) -> list[Step]:
    """Return the steps that prune the runs of a repository."""

    def count(path: str, model: type[Model]) -> Callable[[], int]:
        return lambda: _count(model, path, [*_old(repository_id, cutoff), *_marked(repository_id)])

    return [
        Step(
            "runs",
            lambda: len(_old(repository_id, cutoff)),
            lambda: _mark(repository_id, cutoff),
        ),
        *(
            Step(table, count(path, model), _emptying(repository_id, model, path))
            for table, model, path in HELD
        ),
        Step(
            "verdicts",
            lambda: len(_verdicts(repository_id, _old(repository_id, cutoff))),
            lambda: _delete_verdicts(repository_id),
        ),
    ]


def _old(repository_id: int, cutoff: datetime) -> list[int]:
    """Return the runs that are too old, whose reports are judged and that nobody is asked about."""
    of_the_same = Run.objects.filter(
        repository_id=repository_id, sha=OuterRef("sha"), ci_run_id=OuterRef("ci_run_id")
    )
    working = Upload.objects.filter(
        repository_id=repository_id,
        run__sha=OuterRef("sha"),
        run__ci_run_id=OuterRef("ci_run_id"),
        state__in=OPEN_UPLOADS,
    )
    old = Run.objects.filter(
        ~Exists(of_the_same.filter(at__gte=cutoff)),
        ~Exists(working),
        repository_id=repository_id,
        pruned_at__isnull=True,
        at__lt=cutoff,
    )
    asked = set(commits_in_question(repository_id))
    found = old.order_by("at", "pk").values_list("pk", "sha")
    return [pk for pk, sha in found if sha not in asked]


def _marked(repository_id: int) -> list[int]:
    """Return the runs that were marked and still hold something."""
    parts = Part.objects.filter(run=OuterRef("pk"))
    marked = Run.objects.filter(Exists(parts), repository_id=repository_id, pruned_at__isnull=False)
    return list(marked.order_by("pk").values_list("pk", flat=True))


def _mark(repository_id: int, cutoff: datetime) -> Iterator[int]:
    while True:
        with locked(repository_id):
            batch = _old(repository_id, cutoff)[:BATCH]
            Run.objects.filter(pk__in=batch).update(pruned_at=timezone.now())
        if not batch:
            return
        yield len(batch)


def _emptying(repository_id: int, model: type[Model], path: str) -> Callable[[], Iterator[int]]:
    def batches() -> Iterator[int]:
        runs = _marked(repository_id)
        for start in range(0, len(runs), RUNS_AT_ONCE):
            some = runs[start : start + RUNS_AT_ONCE]
            yield from delete_in_batches(lambda some=some: _held(model, path, some), repository_id)  # type: ignore[misc]

    return batches


def _held(model: type[Model], path: str, runs: Sequence[int]) -> QuerySet[Model]:
    return model._default_manager.filter(**{path: runs})


def _count(model: type[Model], path: str, runs: Sequence[int]) -> int:
    starts = range(0, len(runs), BATCH)
    return sum(_held(model, path, runs[start : start + BATCH]).count() for start in starts)


def _verdicts(repository_id: int, further: Sequence[int] = ()) -> list[int]:
    """Return the verdicts of pruned runs that go: all but those that a branch shows as its last."""
    newest, doomed = _newest_runs(repository_id), {*further}
    rows = Verdict.objects.filter(repository_id=repository_id)
    told = rows.order_by("pk").values_list("pk", "run_id", "is_current", "run__pruned_at")
    return [
        pk
        for pk, run_id, is_current, pruned_at in told.iterator()
        if (pruned_at or run_id in doomed) and not (is_current and run_id in newest)
    ]


def _delete_verdicts(repository_id: int) -> Iterator[int]:
    verdicts = _verdicts(repository_id)
    for start in range(0, len(verdicts), BATCH):
        batch = verdicts[start : start + BATCH]
        with locked(repository_id):
            Verdict.objects.filter(pk__in=batch).delete()
        yield len(batch)


def _newest_runs(repository_id: int) -> set[int]:
    """Return the newest run of each branch and of each pull request."""
    runs = Run.objects.filter(repository_id=repository_id).order_by("at", "attempt", "pk")
    newest = {
        (branch, pr): pk for pk, branch, pr in runs.values_list("pk", "branch", "pr").iterator()
    }
    return set(newest.values())
