"""(c), (d), (e) What grows with history: the time of an upload, the time of pages, and bytes."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.bench_parse import document
from tests.benchmarks.storage.uploads import upload

REPO = "bench/growth"
CASES = 1_000
# Results stored: cases times runs.
STEPS = (0, 1_000_000, 10_000_000, 50_000_000)
PAGES_AT = (1_000_000, 10_000_000)
MOST_GROWTH = 1.3
MOST_PAGE_MS = 50.0
UPLOADS = 9
VIEWS = 100
# Ids far above those that real uploads take, and room for the rows of one run.
FIRST_ID = 1_000_000_000
ROWS_PER_RUN = 100


@dataclass(frozen=True)
class Copied:
    """A table whose rows of one run are copied for others, and what differs between the copies."""

    table: str
    of_run: str
    changed: dict[str, str]


def main() -> bool:
    """Print the tables; tell whether all is within bounds."""
    body = document(CASES)
    for number in range(3):
        upload(REPO, number, body)
    is_good, first, queries = True, 0.0, {}
    print(f"(c) one upload of {CASES} cases into a repository that holds results already")
    print(f"{'results':>12} {'upload ms':>10} {'x empty':>8} {'bytes/result':>13}")
    runs = 0
    for results in STEPS:
        size = table_bytes()
        grow(results // CASES - runs)
        each = (table_bytes() - size) / max(results - runs * CASES, 1)
        runs = results // CASES
        took = _upload_ms(body, results)
        first = first or took
        is_good &= took <= MOST_GROWTH * first
        told = f"{each:>13.2f}" if results else f"{'-':>13}"
        print(f"{results:>12} {took:>10.1f} {took / first:>8.2f} {told}", flush=True)
        if results in PAGES_AT:
            is_good &= _pages(results, queries)
    return is_good


def grow(runs: int) -> None:
    """Add copies of the newest run, spread over the last sixty days."""
    from django.db import connection

    from triage.models import Run

    if runs <= 0:
        return
    template = Run.objects.filter(repository__full_name=REPO).order_by("-pk").first()
    assert template is not None
    with connection.cursor() as cursor:
        cursor.execute("SELECT COALESCE(MAX(id), 0) FROM triage_run WHERE id >= %s", [FIRST_ID])
        start = max(cursor.fetchone()[0], FIRST_ID)
        for copied in _tables():
            cursor.execute(_statement(copied, start, runs), [template.pk])
        cursor.execute("VACUUM ANALYZE")


def _tables() -> list[Copied]:
    """Return the tables of a run in the order of their references."""
    run, at = "{id}", "now() - interval '60 days' * ({count} - g) / {count}"
    row = "{id} * {rows} + row_number() OVER (PARTITION BY g ORDER BY t.id)"
    of_result = (
        "{id} * {rows} + (SELECT count(*) FROM triage_result r WHERE r.run_id = "
        "(SELECT run_id FROM triage_result x WHERE x.id = t.result_id) AND r.id <= t.result_id)"
    )
    return [
        Copied("triage_run", "t.id", {"id": run, "sha": "lpad(to_hex({id}), 40, '0')", "at": at}),
        Copied("triage_part", "t.run_id", {"id": run, "run_id": run}),
        Copied(
            "triage_result",
            "t.run_id",
            {"id": row, "run_id": run, "part_id": run, "at": at},
        ),
        Copied(
            "triage_observation",
            "(SELECT run_id FROM triage_result r WHERE r.id = t.result_id)",
            {"id": row, "result_id": of_result},
        ),
        Copied("triage_verdict", "t.run_id", {"id": run, "run_id": run}),
        Copied(
            "triage_finding",
            "(SELECT run_id FROM triage_result r WHERE r.id = t.result_id)",
            {"id": row, "verdict_id": run, "result_id": of_result, "at": at},
        ),
    ]


def _statement(copied: Copied, start: int, runs: int) -> str:
    from django.apps import apps

    model = next(each for each in apps.get_models() if each._meta.db_table == copied.table)
    columns = [str(field.column) for field in model._meta.concrete_fields]
    known = {"{id}": f"({start}::bigint + g)", "{count}": str(runs), "{rows}": str(ROWS_PER_RUN)}
    values = []
    for column in columns:
        value = copied.changed.get(column, f"t.{column}")
        for mark, text in known.items():
            value = value.replace(mark, text)
        values.append(value)
    return (
        f"INSERT INTO {copied.table} ({', '.join(columns)}) SELECT {', '.join(values)} "
        f"FROM {copied.table} t, generate_series(1, {runs}) g WHERE {copied.of_run} = %s"
    )


def table_bytes() -> int:
    """Return the bytes of the tables that grow with every run, indexes and long values included."""
    from django.db import connection

    with connection.cursor() as cursor:
        names = [copied.table for copied in _tables()]
        cursor.execute(
            "SELECT sum(pg_total_relation_size(t::regclass)) FROM unnest(%s::text[]) t", [names]
        )
        return int(cursor.fetchone()[0])


def _upload_ms(body: bytes, results: int) -> float:
    times = [upload(REPO, results + 100 + number, body) for number in range(UPLOADS)]
    return 1_000 * statistics.median(times[2:])


def _pages(results: int, queries: dict[str, int]) -> bool:
    """Print the database's share of the pages; tell whether it and their queries stay bounded."""
    print(f"(d) pages at {results} results, milliseconds in the database")
    print(f"{'page':>24} {'queries':>8} {'median':>8} {'p95':>8}")
    is_good = True
    for name, read in _readers().items():
        times, count = _read(read)
        p95 = statistics.quantiles(times, n=20)[-1]
        is_good &= p95 <= MOST_PAGE_MS and queries.setdefault(name, count) == count
        print(f"{name:>24} {count:>8} {statistics.median(times):>8.2f} {p95:>8.2f}", flush=True)
    return is_good


def _readers() -> dict[str, Callable[[int], Any]]:
    from django.http import QueryDict

    from triage.models import Case, Repository, Run
    from triage.web.pages.case import case_page
    from triage.web.pages.repository import repository_page
    from triage.web.pages.run import run_page

    cases = list(
        Case.objects.filter(repository__full_name=REPO, results__isnull=False)
        .distinct()
        .select_related("repository")[:VIEWS]
    )
    runs = list(Run.objects.filter(pk__gte=FIRST_ID).select_related("repository")[:VIEWS])
    repository = Repository.objects.get(full_name=REPO)
    nothing = QueryDict()
    return {
        "history of a case": lambda n: case_page(cases[n % len(cases)]),
        "run": lambda n: run_page(runs[n % len(runs)], nothing),
        "top flakiest, 30 days": lambda _: repository_page(repository, nothing),
    }


def _read(read: Callable[[int], Any]) -> tuple[list[float], int]:
    from django.db import connection

    spent: list[float] = []

    def timed(execute: Any, *arguments: Any) -> Any:
        start = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            spent.append(time.perf_counter() - start)

    times, counts = [], set()
    for number in range(VIEWS):
        spent.clear()
        with connection.execute_wrapper(timed):
            read(number)
        times.append(1_000 * sum(spent))
        counts.add(len(spent))
    return times, max(counts)
