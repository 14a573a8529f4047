"""(h) Deleting old results in short transactions: its rate, and what uploads feel beside it.

The floor is the same rows deleted by one statement per table, which nobody could run beside a
service: it holds what it deletes to its end.
"""

import os
import statistics
import subprocess
import sys
import time

from tests.benchmarks.bench_parse import document
from tests.benchmarks.storage.growth import CASES, FIRST_ID, REPO, grow, table_bytes
from tests.benchmarks.storage.uploads import upload

RUNS = 4_000
UPLOADS = 9
# The shortest that is legal; about half of the copies are older.
KEPT_DAYS = 31
FIRST_UPLOAD = 700_000
MOST_TIMES_ALONE = 2.0
MOST_REGROWTH = 1.1
# In the order of their references.
FLOOR = (
    "DELETE FROM triage_finding f USING triage_verdict v WHERE f.verdict_id = v.id AND v.run_id {}",
    "DELETE FROM triage_observation o USING triage_result r WHERE o.result_id = r.id"
    " AND r.run_id {}",
    "DELETE FROM triage_result WHERE run_id {}",
    "DELETE FROM triage_part WHERE run_id {}",
    "DELETE FROM triage_verdict WHERE run_id {}",
)


def main() -> bool:
    """Print the table; tell whether uploads go on and the room is used again."""
    body = document(CASES)
    for number in range(3):
        upload(REPO, FIRST_UPLOAD + number, body)
    grow(RUNS)
    full = table_bytes()
    alone = _upload_ms(body, FIRST_UPLOAD + 100, UPLOADS)
    rows, took, beside = _prune(body)
    _vacuum()
    grow(RUNS // 2)
    again = table_bytes() / full
    floor_rows, floor = _floor()
    print(f"(h) results older than {KEPT_DAYS} days deleted beside uploads of {CASES} cases")
    print(f"{'':>14} {'rows':>9} {'seconds':>8} {'rows/s':>8}")
    print(f"{'prune':>14} {rows:>9} {took:>8.1f} {rows / took:>8.0f}")
    print(f"{'one statement':>14} {floor_rows:>9} {floor:>8.1f} {floor_rows / floor:>8.0f}")
    print(
        f"an upload alone {alone:.0f} ms, beside the prune {beside:.0f} ms: {beside / alone:.2f}x"
    )
    print(f"tables after as many rows were added again: {again:.2f}x of their size before")
    return beside <= MOST_TIMES_ALONE * alone and again <= MOST_REGROWTH


def _upload_ms(body: bytes, first: int, uploads: int) -> float:
    times = [upload(REPO, first + number, body) for number in range(uploads)]
    return 1_000 * statistics.median(times)


def _prune(body: bytes) -> tuple[int, float, float]:
    """Return the rows, the seconds of a prune beside uploads, and an upload's milliseconds."""
    before = _rows()
    env = os.environ | {"RETENTION_RESULTS_DAYS": str(KEPT_DAYS)}
    start, times = time.perf_counter(), []
    with subprocess.Popen(
        [sys.executable, "manage.py", "prune"], env=env, stdout=subprocess.DEVNULL
    ) as process:
        while process.poll() is None:
            times.append(upload(REPO, FIRST_UPLOAD + 1_000 + len(times), body))
    took = time.perf_counter() - start
    if process.returncode:
        sys.exit(f"prune ended with {process.returncode}")
    added = len(times) * _rows_of_an_upload()
    return before + added - _rows(), took, 1_000 * statistics.median(times)


def _rows(condition: str = "IS NOT NULL") -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT (SELECT count(*) FROM triage_result WHERE run_id {condition})"
            " + (SELECT count(*) FROM triage_observation o JOIN triage_result r"
            f" ON o.result_id = r.id WHERE r.run_id {condition})"
            " + (SELECT count(*) FROM triage_finding f JOIN triage_verdict v"
            f" ON f.verdict_id = v.id WHERE v.run_id {condition})"
        )
        return int(cursor.fetchone()[0])


def _rows_of_an_upload() -> int:
    from triage.models import Run

    newest = Run.objects.filter(repository__full_name=REPO, pk__lt=FIRST_ID).order_by("-pk").first()
    assert newest is not None
    return _rows(f"= {newest.pk}")


def _vacuum() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _floor() -> tuple[int, float]:
    """Return the rows and the seconds of one statement per table for half of the runs."""
    from django.db import connection, transaction

    from triage.models import Run

    copies = Run.objects.filter(pk__gte=FIRST_ID, pruned_at__isnull=True).order_by("-pk")
    last = copies.values_list("pk", flat=True)[RUNS // 2 - 1]
    condition = f">= {last}"
    rows, start = _rows(condition), time.perf_counter()
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in FLOOR:
            cursor.execute(statement.format(condition))
    return rows, time.perf_counter() - start
