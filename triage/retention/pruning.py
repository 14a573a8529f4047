"""Everything that is too old, step by step; safe to stop anywhere and to run twice at once."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime

from budgets.ledger import charges_before
from triage.models import Repository
from triage.retention.events import audit_step, event_steps, webhook_step
from triage.retention.files import files_step
from triage.retention.periods import Cutoffs, cutoffs
from triage.retention.runs import run_steps
from triage.retention.steps import Step, rows_step
from triage.retention.texts import old_texts

# Told how much went from which table.
Progress = Callable[[str, int], None]


def survey(now: datetime) -> Counter[str]:
    """Return by table how much would be deleted now."""
    counts: Counter[str] = Counter()
    for step in _steps(cutoffs(now)):
        counts[step.table] += step.count()
    return counts


def prune(now: datetime, progress: Progress | None = None) -> Counter[str]:
    """Delete what is too old; return by table how much it was."""
    deleted: Counter[str] = Counter()
    for step in _steps(cutoffs(now)):
        deleted[step.table] += 0
        for batch in step.batches():
            deleted[step.table] += batch
            if progress:
                progress(step.table, batch)
    return deleted


def _steps(ends: Cutoffs) -> Iterator[Step]:
    for repository in Repository.objects.order_by("pk"):
        yield from _steps_of(repository, ends)
    if ends.events:
        yield webhook_step(ends.events)
    if ends.audit:
        yield audit_step(ends.audit)


def _steps_of(repository: Repository, ends: Cutoffs) -> Iterator[Step]:
    pk, ledger, texts = repository.pk, ends.ledger, ends.texts
    if ends.uploads:
        yield files_step(repository, ends.uploads)
    if ends.results:
        yield from run_steps(pk, ends.results)
    if texts:
        yield rows_step("failure texts", lambda: old_texts(pk, texts), pk)
    if ledger:
        yield rows_step("charges", lambda: charges_before(pk, ledger), pk)
    if ends.events:
        yield from event_steps(pk, ends.events)
