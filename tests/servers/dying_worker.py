"""Makes the worker that includes it die where ``kill -9`` would hurt, once at each point.

A repository named ``acme/dies-POINT`` dies at that point; what died is remembered in the folder
that ``DEATHS`` names, so that the next worker lives.
"""

import importlib
import os
import signal
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from celery.signals import worker_process_init, worker_ready

PREFIX = "acme/dies-"
BEFORE, AFTER = "before", "after"
# Point: module, function, and whether death comes before or after it. In the order of the work.
POINTS: dict[str, tuple[str, str, str]] = {
    "received": ("triage.outbox", "lease", BEFORE),
    "leased": ("triage.outbox", "lease", AFTER),
    "file-read": ("triage.pipeline", "read_stored", AFTER),
    "parsed": ("triage.pipeline", "record", BEFORE),
    "cases-added": ("triage.record.recorder", "find_or_add_cases", AFTER),
    "rows-written": ("triage.record.recorder", "write_rows", AFTER),
    "epochs-watched": ("triage.record.recorder", "watch", AFTER),
    "days-counted": ("triage.record.recorder", "add_to_breakdowns", AFTER),
    "vectors-written": ("triage.record.recorder", "_write_vectors", AFTER),
    "recorded": ("triage.pipeline", "import_report", AFTER),
    "record-committed": ("triage.pipeline", "judge", BEFORE),
    "charged": ("triage.verdict.judge", "charge", AFTER),
    "verdict-kept": ("triage.verdict.judge", "keep_verdict", AFTER),
    "told": ("triage.verdict.judge", "tell", AFTER),
    "publication-wanted": ("triage.pipeline", "want_newest_verdict", AFTER),
    "verdict-committed": ("triage.pipeline", "process", AFTER),
}


class Death:
    """Which point the upload that is worked on dies at."""

    point = ""


def die_at(point: str) -> None:
    """End this process at once, unless it is another point's turn or this one has had its own."""
    mark = Path(os.environ["DEATHS"]) / point
    if Death.point == point and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)


def deadly(point: str, function: Callable[..., Any], when: str) -> Callable[..., Any]:
    """Return a function that dies at a point."""

    def dying(*arguments: Any, **named: Any) -> Any:
        if when == BEFORE:
            die_at(point)
        result = function(*arguments, **named)
        if when == AFTER:
            die_at(point)
        return result

    return dying


def named(process: Callable[[uuid.UUID], None]) -> Callable[[uuid.UUID], None]:
    """Return the whole of the work, which first looks whose it is."""

    def processing(upload_id: uuid.UUID) -> None:
        from triage.models import Upload

        name = Upload.objects.get(pk=upload_id).repository.full_name
        Death.point = name.removeprefix(PREFIX)
        process(upload_id)

    return processing


# Not at import: the search for doctests imports every module, and must live to tell.
@worker_process_init.connect
@worker_ready.connect
def arm(**_: object) -> None:
    """Put death at every point."""
    for point, (module, function, when) in POINTS.items():
        place = importlib.import_module(module)
        setattr(place, function, deadly(point, getattr(place, function), when))
    pipeline = importlib.import_module("triage.pipeline")
    pipeline.process = named(pipeline.process)
