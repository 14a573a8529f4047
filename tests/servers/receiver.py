"""A web server on this machine that notifications are sent to, with answers as a test sets them."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.servers.ports import LOOPBACK


@dataclass(frozen=True)
class Reply:
    """What the receiver answers to one request."""

    status: int = 200
    body: bytes = b"ok"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Received:
    """A request as it arrived. Names of headers are in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        """The body, read as JSON."""
        document: dict[str, Any] = json.loads(self.body)
        return document


@dataclass
class Receiver:
    """A running server: where it is, what it got, what it answers next."""

    port: int
    is_encrypted: bool = False
    replies: list[Reply] = field(default_factory=list)
    requests: list[Received] = field(default_factory=list)
    _arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def url(self, path: str = "/hook") -> str:
        """Return the address of a path on the server."""
        return f"http{'s' if self.is_encrypted else ''}://{LOOPBACK}:{self.port}{path}"

    def next_reply(self) -> Reply:
        """Return the next answer that was set, or a plain good one."""
        return self.replies.pop(0) if self.replies else Reply()

    def note(self, received: Received) -> None:
        """Keep a request."""
        self.requests.append(received)
        self._arrived.release()

    def wait_for_request(self, timeout_s: float = 60) -> Received:
        """Return the next request that nobody has waited for yet."""
        assert self._arrived.acquire(timeout=timeout_s), "nothing arrived"
        return self.requests[-1]


@contextmanager
def receiving(*replies: Reply, certificate: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a receiver for the length of a block; it answers in this order, then 200."""
    server = ThreadingHTTPServer((LOOPBACK, 0), _Handler)
    if certificate:
        server.socket = certificate.wrap_socket(server.socket, server_side=True)
    receiver = Receiver(server.server_port, certificate is not None, list(replies))
    server.receiver = receiver  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Keeps each request and gives the answer that is next."""

    def do_POST(self) -> None:
        """Take a message."""
        receiver: Receiver = self.server.receiver  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        # Before the answer, so that whoever got that one finds the request.
        receiver.note(Received(self.path, headers, body))
        reply = receiver.next_reply()
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def do_GET(self) -> None:
        """Answer a question."""
        self.do_POST()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Write nothing: the test looks at what was received."""
