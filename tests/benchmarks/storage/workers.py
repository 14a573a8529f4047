"""(b) How fast one, two and four worker processes take uploads to their verdicts."""

import os
import sys
import time
import uuid

from tests.benchmarks.bench_parse import document
from tests.servers import product
from tests.servers.missing import stop_without
from tests.servers.processes import running
from tests.servers.redis import REMEDY, find_redis_server, throwaway_redis

CASES = 1_000
REPOSITORIES = 8
UPLOADS = 64
PROCESSES = (1, 2, 4)
# Two cores are shared by the workers and the database; without a lock they would double the rate.
LEAST_GAIN = 1.2
# No upload takes as long as this, whatever waits before it.
STANDSTILL_S = 120


def main() -> bool:
    """Print the table; tell whether a second process helps."""
    server = find_redis_server()
    if server is None:
        stop_without("Redis", REMEDY)
    print(
        f"(b) {UPLOADS} uploads of {CASES} cases to {REPOSITORIES} repositories, {_cores()} cores"
    )
    print(f"{'processes':>10} {'uploads/s':>10} {'x one':>6}")
    rates: dict[int, float] = {}
    with throwaway_redis(server) as broker:
        for processes in PROCESSES:
            rates[processes] = _rate(processes, broker)
            gain = rates[processes] / rates[PROCESSES[0]]
            print(f"{processes:>10} {rates[processes]:>10.2f} {gain:>6.2f}", flush=True)
    return rates[2] >= LEAST_GAIN * rates[1] or _cores() < 2


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def _rate(processes: int, broker: str) -> float:
    """Return the uploads per second that a worker with this many processes judges."""
    from triage.models import Upload
    from triage.terms import UploadState

    env = product.plain_environment(os.environ["DATABASE_URL"], broker)
    command = [sys.executable, "-m", "celery", "-A", "triage", "worker"]
    options = [f"--concurrency={processes}", "--loglevel=INFO"]
    with running([*command, *options], ready=" ready.", env=env) as worker:
        # The first uploads of a process pay for what it imports and for its connection.
        _send(broker, _accept(f"warm-{processes}", 2 * processes))
        waiting = Upload.objects.exclude(state=UploadState.JUDGED)
        wait_until_judged(worker.output)
        uploads = _accept(f"of-{processes}", UPLOADS)
        start = time.perf_counter()
        _send(broker, uploads)
        wait_until_judged(worker.output)
        assert not waiting.exists()
        return UPLOADS / (time.perf_counter() - start)


def _accept(name: str, count: int) -> list[uuid.UUID]:
    from triage.parse.upload import UploadedFile
    from triage.upload.acceptance import accept
    from triage.upload.submission import Submission

    file = UploadedFile("report.xml", document(CASES))
    return [
        accept(
            Submission(
                f"bench/{name}-{number % REPOSITORIES}",
                f"{number:040x}",
                (file,),
                branch="main",
                run_id=str(number),
            )
        ).upload.pk
        for number in range(count)
    ]


def _send(broker: str, uploads: list[uuid.UUID]) -> None:
    from celery import Celery

    with Celery(broker=broker) as app:
        for upload in uploads:
            app.send_task("triage.process_upload", [str(upload)], queue="ingest")


def wait_until_judged(output: str) -> None:
    """Return once no upload is open; raise with what the worker wrote if it stands still."""
    from triage.models import Upload
    from triage.terms import UploadState

    waiting = Upload.objects.exclude(state=UploadState.JUDGED)
    left, moved_at = waiting.count(), time.monotonic()
    while left:
        assert time.monotonic() < moved_at + STANDSTILL_S, output
        time.sleep(0.02)
        now = waiting.count()
        moved_at = time.monotonic() if now != left else moved_at
        left = now
