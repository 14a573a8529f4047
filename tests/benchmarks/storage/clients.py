"""(g) Two hundred clients that upload at once to a server with a worker: errors, losses, p95."""

import http.client
import json
import os
import statistics
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.benchmarks.bench_parse import document
from tests.benchmarks.storage.workers import wait_until_judged
from tests.servers import product
from tests.servers.missing import stop_without
from tests.servers.ports import LOOPBACK, free_port
from tests.servers.redis import REMEDY, find_redis_server, throwaway_redis

CLIENTS = 200
SECONDS = 60.0
CASES = 100
REPOSITORIES = 10
TIMEOUT_S = 120


@dataclass
class Answers:
    """What all clients got; appending is safe from many threads."""

    took_s: list[float] = field(default_factory=list)
    statuses: list[int | str] = field(default_factory=list)
    uploads: list[str] = field(default_factory=list)


def main() -> bool:
    """Print what came of it; tell whether nothing was refused and nothing lost."""
    from triage.models import Upload

    server = find_redis_server()
    if server is None:
        stop_without("Redis", REMEDY)
    answers = Answers()
    with throwaway_redis(server) as broker:
        env = product.plain_environment(os.environ["DATABASE_URL"], broker)
        port = free_port()
        with product.web_server(env, port) as web, product.pool_worker(env) as worker:
            web.wait_until_ready()
            _run_clients(port, answers)
            wait_until_judged(worker.output)
    counts = Counter(answers.statuses)
    stored = set(map(str, Upload.objects.values_list("pk", flat=True)))
    lost = set(answers.uploads) - stored
    p95 = statistics.quantiles(answers.took_s, n=20)[-1]
    print(f"(g) {CLIENTS} clients for {SECONDS:.0f} s, {CASES} cases each upload")
    print(
        f"{len(answers.took_s)} uploads, {len(answers.took_s) / SECONDS:.1f} per second, answers "
        f"{dict(counts)}, lost {len(lost)}, median {statistics.median(answers.took_s):.2f} s, "
        f"p95 {p95:.2f} s"
    )
    return set(counts) <= {200, 201, 202} and not lost


def _run_clients(port: int, answers: Answers) -> None:
    from triage.upload.acceptance import find_or_add_repository
    from triage.upload.tokens import create_token

    names = [f"bench/clients-{number}" for number in range(REPOSITORIES)]
    tokens = [create_token(find_or_add_repository(name), "ci") for name in names]
    end = time.monotonic() + SECONDS
    threads = [
        threading.Thread(
            target=_client,
            args=(port, names[n % REPOSITORIES], tokens[n % REPOSITORIES], n, end, answers),
        )
        for n in range(CLIENTS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _client(port: int, repo: str, token: str, number: int, end: float, answers: Answers) -> None:
    body = document(CASES)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/xml"}
    count = 0
    while time.monotonic() < end:
        count += 1
        path = f"/api/v1/uploads?repo={repo}&sha={number * 10_000 + count:040x}&branch=main"
        start = time.monotonic()
        try:
            connection = http.client.HTTPConnection(LOOPBACK, port, timeout=TIMEOUT_S)
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            told = json.loads(answer.read())
            connection.close()
        except OSError as error:
            answers.statuses.append(type(error).__name__)
            continue
        answers.took_s.append(time.monotonic() - start)
        answers.statuses.append(answer.status)
        if answer.status in {200, 201, 202}:
            answers.uploads.append(told["upload"]["id"])
