"""Makes the process that includes it die where ``kill -9`` would hurt, once at each point.

A worker includes it; ``python -m tests.servers.deaths COMMAND`` runs a command that does. A
repository named ``acme/dies-POINT`` dies at that point; what died is remembered in the folder
that ``DEATHS`` names, so that the next process lives.
"""

import importlib
import os
import signal
import sys
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
    "publication-wanted": ("triage.pipeline", "want_recent_verdict", AFTER),
    "verdict-committed": ("triage.pipeline", "process", AFTER),
}


# Of publishing.
PUBLISHING_POINTS: dict[str, tuple[str, str, str]] = {
    "turn-taken": ("triage.publish.delivering", "take_turn", AFTER),
    "check-made": ("triage.publish.github.forge", "_annotated", BEFORE),
    "comment-made": ("triage.publish.github.forge", "set_sticky_comment", AFTER),
    "shown": ("triage.publish.delivering", "_finish", BEFORE),
}


# Of the web server.
SERVER_POINTS: dict[str, tuple[str, str, str]] = {
    "file-stored": ("triage.upload.acceptance", "store_files", AFTER),
    "upload-committed": ("triage.dispatch", "send_for", BEFORE),
}


# Of ``tiebreak prune``, which dies at the point that ``DIES_AT`` names.
PRUNING_POINTS: dict[str, tuple[str, str, str]] = {
    "files-gone": ("triage.retention.pruning", "run_steps", BEFORE),
    "runs-marked": ("triage.retention.runs", "delete_in_batches", BEFORE),
    "results-gone": ("triage.retention.runs", "_delete_verdicts", BEFORE),
    "runs-gone": ("triage.retention.pruning", "charges_before", BEFORE),
}


class Death:
    """Which point the upload that is worked on dies at."""

    point = ""


def die_at(point: str) -> None:
    """End this process at once, unless it is another point's turn or this one has had its own."""
    if Death.point != point:
        return
    try:
        (Path(os.environ["DEATHS"]) / point).touch(exist_ok=False)
    except FileExistsError:
        return
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


def named(process: Callable[..., None]) -> Callable[..., None]:
    """Return the whole of the work, which first looks whose it is."""

    def processing(upload_id: uuid.UUID, *others: Any) -> None:
        from triage.models import Upload

        name = Upload.objects.get(pk=upload_id).repository.full_name
        Death.point = name.removeprefix(PREFIX)
        process(upload_id, *others)

    return processing


def asked(accept: Callable[..., Any]) -> Callable[..., Any]:
    """Return the acceptance of an upload, which first looks whose it is."""

    def accepting(submission: Any, *others: Any) -> Any:
        Death.point = submission.repo.removeprefix(PREFIX)
        return accept(submission, *others)

    return accepting


# Not at import: the search for doctests imports every module, and must live to tell.
@worker_process_init.connect
@worker_ready.connect
def arm(**_: object) -> None:
    """Put death at every point of a worker."""
    put(POINTS)
    pipeline = importlib.import_module("triage.pipeline")
    pipeline.process = named(pipeline.process)


def put(points: dict[str, tuple[str, str, str]]) -> None:
    """Put death at these points."""
    for point, (module, function, when) in points.items():
        place = importlib.import_module(module)
        setattr(place, function, deadly(point, getattr(place, function), when))


def main(command: list[str]) -> None:
    """Run a command of ``tiebreak`` that dies at the points of the web server."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")
    import django

    django.setup()
    taking = importlib.import_module("triage.api.taking")
    put(SERVER_POINTS | PRUNING_POINTS)
    Death.point = os.environ.get("DIES_AT", "")
    taking.accept = asked(taking.accept)
    from django.core.management import execute_from_command_line

    execute_from_command_line(["manage.py", *command])


if __name__ == "__main__":
    main(sys.argv[1:])
