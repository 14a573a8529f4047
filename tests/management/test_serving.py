"""tiebreak serve is asked to end while somebody waits for an answer."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import product
from tests.servers.ports import LOOPBACK, free_port
from tests.servers.processes import Child

BODY = b"<testsuite/>"
REQUEST = (
    b"POST /api/v1/uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/xml\r\n"
    b"Content-Length: %d\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n" % len(BODY)
)
TIMEOUT_S = 60


@pytest.fixture
def port() -> int:
    """A port that the server is going to listen on."""
    return free_port()


@pytest.fixture
def server(port: int, tmp_path: Path) -> Iterator[Child]:
    """A server on a database of its own that does all work itself."""
    env = os.environ | {
        "DJANGO_SETTINGS_MODULE": "triage.settings",
        "TIEBREAK_DATA_DIR": str(tmp_path),
        "DATABASE_URL": "",
        "PYTHONUNBUFFERED": "1",
    }
    with product.web_server(env, port) as child:
        child.wait_until_ready()
        yield child


def connect(port: int) -> socket.socket:
    """Connect to the server."""
    return socket.create_connection((LOOPBACK, port), timeout=TIMEOUT_S)


def end(server: Child, number: signal.Signals) -> None:
    """Ask the server to end, and return once it does."""
    server.process.send_signal(number)
    server.wait_for("Ending")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_that_was_begun_is_answered_before_the_end(
    server: Child, port: int, number: signal.Signals
) -> None:
    with connect(port) as idle, connect(port) as client:
        client.sendall(REQUEST)
        answers = client.makefile("rb")
        # From here on the server has the head of the request and waits for the rest.
        assert answers.readline() == b"HTTP/1.1 100 Continue\r\n"
        assert answers.readline() == b"\r\n"

        end(server, number)
        with pytest.raises(ConnectionRefusedError):
            connect(port)
        client.sendall(BODY)

        assert answers.readline() == b"HTTP/1.1 401 Unauthorized\r\n"
        assert b"no token was sent" in answers.read()
        assert (server.wait_until_dead(), idle.recv(1)) == (0, b""), server.output


def test_a_server_that_nobody_asks_ends_at_once(server: Child) -> None:
    end(server, signal.SIGTERM)
    assert server.wait_until_dead() == 0, server.output
