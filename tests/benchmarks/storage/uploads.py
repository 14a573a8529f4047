"""(a) An upload to its verdict against the floor: a bare walk of the XML, and COPY of its rows."""

import time

from tests.benchmarks.bench_parse import document, walk

SIZES = (10_000, 100_000)
ROUNDS = 3
MOST_TIMES_THE_FLOOR = 3.0


def upload(repo: str, number: int, body: bytes) -> float:
    """Take a report to its verdict and return the seconds that it took."""
    from triage import pipeline
    from triage.parse.collector import paused_collector
    from triage.parse.upload import UploadedFile
    from triage.upload.acceptance import accept
    from triage.upload.submission import Submission

    file = UploadedFile("report.xml", body)
    start = time.perf_counter()
    submission = Submission(repo, f"{number:040x}", (file,), branch="main", run_id=str(number))
    with paused_collector():
        accepted = accept(submission)
        pipeline.process(accepted.upload.pk, accepted.reading)
    return time.perf_counter() - start


def written_tables() -> list[str]:
    """Return the tables that an upload writes rows to, one or more per case."""
    from triage import models

    written = (
        models.Case, models.Epoch, models.EpochDay, models.EpochHour, models.EpochLabel,
        models.EpochCircumstance, models.FailureText, models.Result, models.Observation,
        models.Finding,
    )  # fmt: skip
    return [model._meta.db_table for model in written]


def last_transaction() -> int:
    """Return the number of the newest transaction so far."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()::text::bigint")
        return int(cursor.fetchone()[0])


def written_since(transaction: int) -> dict[str, bytes]:
    """Return the rows that were added or changed since, as COPY writes them, by table."""
    from django.db import connection

    rows = {}
    with connection.cursor() as cursor:
        for table in written_tables():
            query = f"SELECT * FROM {table} WHERE xmin::text::bigint > {transaction}"
            with cursor.copy(f"COPY ({query}) TO STDOUT") as copy:
                rows[table] = b"".join(bytes(chunk) for chunk in copy)
    return rows


def floor(body: bytes, rows: dict[str, bytes]) -> float:
    """Return the seconds that a walk of the XML and COPY of the rows into equal tables take."""
    from django.db import connection, transaction

    with connection.cursor() as cursor:
        for table in rows:
            cursor.execute(f"CREATE TABLE copy_of_{table} (LIKE {table} INCLUDING ALL)")
        start = time.perf_counter()
        walk(body)
        with transaction.atomic():
            for table, lines in rows.items():
                with cursor.copy(f"COPY copy_of_{table} FROM STDIN") as copy:
                    copy.write(lines)
        took = time.perf_counter() - start
        for table in rows:
            cursor.execute(f"DROP TABLE copy_of_{table}")
    return took


def main() -> bool:
    """Print the table; tell whether all is within bounds."""
    print("(a) upload to verdict, against a walk of the XML and COPY of the same rows")
    print(f"{'cases':>8} {'upload':>10} {'rows':>8} {'floor s':>9} {'ours s':>9} {'x floor':>8}")
    is_good = True
    for cases in SIZES:
        body = document(cases)
        for name, took, least, rows in _measure(cases, body):
            ratio = took / least
            is_good &= ratio <= MOST_TIMES_THE_FLOOR
            print(
                f"{cases:>8} {name:>10} {rows:>8} {least:>9.3f} {took:>9.3f} {ratio:>8.2f}",
                flush=True,
            )
    return is_good


def _measure(cases: int, body: bytes) -> list[tuple[str, float, float, int]]:
    """Return name, seconds, floor and rows of first and of later uploads of a repository."""
    measured: dict[str, list[tuple[float, float, int]]] = {"first": [], "later": []}
    for number in range(ROUNDS):
        repo = f"bench/upload-{cases}-{number}"
        for count, name in enumerate(("first", "later", "later")):
            before = last_transaction()
            took = upload(repo, count, body)
            rows = written_since(before)
            lines = sum(each.count(b"\n") for each in rows.values())
            measured[name].append((took, floor(body, rows), lines))
    return [
        (name, min(each[0] for each in runs), min(each[1] for each in runs), runs[-1][2])
        for name, runs in measured.items()
    ]
