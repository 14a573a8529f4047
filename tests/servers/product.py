"""The product in processes of its own, as it runs in production: a web server and a worker."""

import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from urllib.parse import quote, urlsplit

from tests.servers.ports import LOOPBACK
from tests.servers.processes import Child, running, started


def environment(database: dict[str, object], broker_url: str) -> dict[str, str]:
    """Return the environment of a process that works on the tests' own database."""
    return plain_environment(database_url(database), broker_url)


def plain_environment(database_url: str, broker_url: str = "") -> dict[str, str]:
    """Return the environment of a process that works on a database."""
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "triage.settings",
        "DATABASE_URL": database_url,
        "BROKER_URL": broker_url,
        # Without it the words that say "ready" stay in the process's buffer.
        "PYTHONUNBUFFERED": "1",
    }


def database_url(database: dict[str, object]) -> str:
    """Return the URL of the database that Django's settings describe."""
    name = str(database["NAME"])
    if str(database["ENGINE"]).endswith("sqlite3"):
        return f"sqlite:///{name}"
    return urlsplit(os.environ["TEST_DATABASE_URL"])._replace(path=f"/{quote(name)}").geturl()


def web_server(
    env: dict[str, str], port: int, program: Sequence[str] = ("manage.py",)
) -> AbstractContextManager[Child]:
    """Start ``tiebreak serve`` on a port of this machine; it is ready some seconds later."""
    command = [sys.executable, *program, "serve", "--host", LOOPBACK, "--port", str(port)]
    return started(command, ready="Serving on", env=env)


def pool_worker(env: dict[str, str], *options: str) -> AbstractContextManager[Child]:
    """Run a Celery worker as in production: a process that holds one other, which does the work."""
    command = [sys.executable, "-m", "celery", "-A", "triage", "worker", "--concurrency=1"]
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=INFO"]
    return running([*command, *alone, *options], ready=" ready.", env=env)


def worker(env: dict[str, str], *options: str) -> AbstractContextManager[Child]:
    """Run a Celery worker that works in its main process, so that killing it kills the task."""
    command = [sys.executable, "-m", "celery", "-A", "triage", "worker", "--pool=solo"]
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=INFO"]
    return running([*command, *alone, *options], ready=" ready.", env=env)
