"""The product's processes, as in production, and what befalls them."""

import os
import random
import signal
import sys
import urllib.error
import urllib.request
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any

from django.db import connection

from tests.servers import product
from tests.servers.ports import LOOPBACK, free_port
from tests.servers.processes import Child, running
from tests.servers.redis import READY
from tests.soak.ci import Report

BOUNDARY = "soak-7f3a"
TIMEOUT_S = 60
MOST_TRIES = 40
# What the product's processes call themselves to the database.
CONNECTED_AS = "product"
WORKER = ("--queues=ingest,publish,slow", "--include=tests.soak.publishing")


class Servers:
    """Web server, broker, two workers and a clock; one worker lives through it all."""

    def __init__(self, redis: Path, folder: Path, seed: int) -> None:
        self.random, self.folder, self.redis = random.Random(seed), folder, redis
        self.redis_port, self.port = free_port(), free_port()
        self.faults: Counter[str] = Counter()
        self.statuses: Counter[int | str] = Counter()
        broker = f"redis://{LOOPBACK}:{self.redis_port}/0"
        self.env = product.plain_environment(os.environ["DATABASE_URL"], broker) | {
            "PGAPPNAME": CONNECTED_AS
        }
        self._stacks: dict[str, ExitStack] = {}
        self.children: dict[str, Child] = {}

    def start(self, *names: str) -> None:
        """Start some of the processes, and return when they are ready."""
        for name in names:
            stack = self._stacks[name] = ExitStack()
            self.children[name] = stack.enter_context(getattr(self, f"_{name}")())

    def stop(self, *names: str) -> None:
        """Stop some of the processes, all of them by default."""
        for name in names or [*self._stacks]:
            self._stacks.pop(name).close()

    def befall(self) -> None:
        """Let one fault happen, and start again whatever it ended."""
        faults = (self._kill_worker, self._kill_web, self._lose_messages, self._cut_connections)
        fault = self.random.choice(faults)
        self.faults[fault.__name__.strip("_").replace("_", " ")] += 1
        fault()

    def send(self, sent: Report, token: str) -> None:
        """Send a report as a client does: again after whatever passes by itself."""
        for _ in range(MOST_TRIES):
            status = self._post(sent, token)
            self.statuses[status] += 1
            if status in {200, 201, 202}:
                return
            assert status in {0, 429, 500, 502, 503}, status
            Event().wait(0.5)
        raise AssertionError(f"{sent.fields} was never taken: {dict(self.statuses)}")

    def memory_mib(self) -> float:
        """Return the resident memory of the process that works for the worker that lives on."""
        parent = self.children["steady"].process.pid
        (child, *_) = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        pages = int(Path(f"/proc/{child}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def _post(self, sent: Report, token: str) -> int:
        request = urllib.request.Request(
            f"http://{LOOPBACK}:{self.port}/api/v1/uploads", _form(sent)
        )
        request.add_header("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")
        request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def _kill_worker(self) -> None:
        worker = self.children["mortal"].process
        for child in Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)
        self.children["mortal"].kill()
        self.stop("mortal")
        self.start("mortal")

    def _kill_web(self) -> None:
        self.children["web"].kill()
        self.stop("web")
        self.start("web")

    def _lose_messages(self) -> None:
        """End a broker that keeps nothing: all that it held is lost."""
        self.children["broker"].kill()
        self.stop("broker")
        self.start("broker")

    def _cut_connections(self) -> None:
        """Cut those of the product's processes; who watches them keeps its own."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = %s",
                [CONNECTED_AS],
            )

    def _web(self) -> Any:
        return running(
            [sys.executable, "manage.py", "serve", "--host", LOOPBACK, "--port", str(self.port)],
            ready="Serving on",
            env=self.env,
        )

    def _steady(self) -> Any:
        return product.pool_worker(self.env, *WORKER, "--hostname=steady@%h")

    def _mortal(self) -> Any:
        return product.pool_worker(self.env, *WORKER, "--hostname=mortal@%h")

    def _broker(self) -> Any:
        command = [str(self.redis), "--bind", LOOPBACK, "--port", str(self.redis_port)]
        kept = ["--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        return running([*command, *kept], ready=READY)

    def _clock(self) -> Any:
        schedule = f"--schedule={self.folder / 'beat'}"
        command = [sys.executable, "-m", "celery", "-A", "triage", "beat", "--loglevel=INFO"]
        return running([*command, schedule], ready="beat: Starting", env=self.env)


def _form(sent: Report) -> bytes:
    parts = [
        f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}'.encode()
        for name, value in sent.fields.items()
    ]
    head = b'Content-Disposition: form-data; name="files"; filename="junit.xml"\r\n\r\n'
    mark = f"--{BOUNDARY}\r\n".encode()
    body = b"".join(mark + part + b"\r\n" for part in [*parts, head + sent.body])
    return body + f"--{BOUNDARY}--\r\n".encode()
