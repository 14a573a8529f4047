"""A port of this machine that nothing listens on."""

import socket

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """Return a free loopback port; nothing keeps it free, so take it at once."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])
