"""Ports of this machine that nothing listens on."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """Return a free loopback port; nothing keeps it free, so take it at once."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


@contextmanager
def dead_port() -> Iterator[int]:
    """Keep a loopback port on which every connection is refused, and that nobody else can take."""
    with socket.socket() as held:
        held.bind((LOOPBACK, 0))
        yield int(held.getsockname()[1])
