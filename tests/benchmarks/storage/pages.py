"""(i) Pages of a repository of ten million results, as a browser gets them from the server."""

import http.client
import os
import statistics
import time
from collections.abc import Mapping

from tests.benchmarks.bench_parse import document
from tests.benchmarks.storage.growth import CASES, FIRST_ID, grow
from tests.benchmarks.storage.uploads import upload
from tests.servers import product
from tests.servers.ports import LOOPBACK, free_port

REPO = "bench/growth"
RESULTS = 10_000_000
VIEWS = 100
MOST_P95_MS = 100.0
MOST_BYTES = 150_000
# What the server takes for an answer without a query and without a page.
FLOOR = "/healthz"


def main() -> bool:
    """Print the table; tell whether first bytes and weights are within bounds."""
    body = document(CASES)
    for number in range(3):
        upload(REPO, number, body)
    grow(RESULTS // CASES)
    env, port = product.plain_environment(os.environ["DATABASE_URL"]), free_port()
    with product.web_server(env, port) as web:
        web.wait_until_ready()
        connection = http.client.HTTPConnection(LOOPBACK, port)
        headers = {"Cookie": f"sessionid={_session()}"}
        floor = _asked(connection, FLOOR, {})[0]
        print(f"(i) pages at {RESULTS} results, through the server; an answer without a page")
        print(f"takes {floor:.1f} ms")
        print(f"{'page':>12} {'median ms':>10} {'p95 ms':>8} {'x floor':>8} {'kB':>6}")
        is_good = True
        for name, path in _paths().items():
            median, p95, size = _asked(connection, path, headers)
            is_good &= p95 <= MOST_P95_MS and size <= MOST_BYTES
            times = median / floor
            print(f"{name:>12} {median:>10.1f} {p95:>8.1f} {times:>8.1f} {size / 1_000:>6.1f}")
    return is_good


def _session() -> str:
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.create_superuser("reader"))
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def _paths() -> Mapping[str, str]:
    from triage.models import Case, Run

    case = Case.objects.filter(repository__full_name=REPO, results__isnull=False).first()
    run = Run.objects.filter(pk__gte=FIRST_ID).first()
    assert case and run
    own = f"/repositories/{REPO}"
    return {
        "home": "/",
        "repository": f"/r/{REPO}/",
        "run": f"/runs/{run.pk}/",
        "compare": f"/runs/{run.pk}/compare/?with={run.pk + 1}",
        "case": f"/cases/{case.pk}/",
        "cases": f"{own}/cases/",
        "flips first": f"{own}/cases/?sort=flips",
        "budgets": f"{own}/budgets/",
        "policy": f"{own}/policy/",
        "uploads": f"{own}/uploads/",
        "escalations": f"{own}/escalations/",
        "calibration": f"{own}/calibration/",
    }


def _asked(
    connection: http.client.HTTPConnection, path: str, headers: Mapping[str, str]
) -> tuple[float, float, int]:
    """Return median and p95 of the milliseconds to the first byte, and the bytes of the page."""
    times, size = [], 0
    for _ in range(VIEWS):
        start = time.perf_counter()
        connection.request("GET", path, headers=dict(headers))
        answer = connection.getresponse()
        times.append(1_000 * (time.perf_counter() - start))
        size = len(answer.read())
        assert answer.status == 200, (path, answer.status)
    return statistics.median(times), statistics.quantiles(times, n=20)[-1], size
