"""A proxy that ends TLS for a client that speaks to fixed host names, and passes it on in plain."""

import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.servers.ports import LOOPBACK

ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
PIECE = 65_536


class Tunnel(socketserver.BaseRequestHandler):
    """One CONNECT, answered with a tunnel to the server whatever host was asked for."""

    def handle(self) -> None:
        """Pass bytes on both ways until one side ends."""
        server: TlsProxy = self.server  # type: ignore[assignment]
        asked = b""
        while b"\r\n\r\n" not in asked:
            piece = self.request.recv(PIECE)
            if not piece:
                return
            asked += piece
        self.request.sendall(ESTABLISHED)
        with (
            suppress(OSError),
            server.context.wrap_socket(self.request, server_side=True) as client,
            socket.create_connection((LOOPBACK, server.target)) as target,
        ):
            back = threading.Thread(target=_pass_on, args=(target, client), daemon=True)
            back.start()
            _pass_on(client, target)
            back.join()


class TlsProxy(socketserver.ThreadingTCPServer):
    """The proxy with what it proves its names with."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, context: ssl.SSLContext, target: int) -> None:
        super().__init__((LOOPBACK, 0), Tunnel)
        self.context, self.target = context, target


@contextmanager
def tls_proxy(context: ssl.SSLContext, target: int) -> Iterator[str]:
    """Run the proxy before a port of this machine; yield its address."""
    with TlsProxy(context, target) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://{LOOPBACK}:{proxy.server_address[1]}"
        finally:
            proxy.shutdown()
            thread.join()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
