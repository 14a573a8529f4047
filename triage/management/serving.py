"""Run a web server until it is asked to end, and answer first what was asked before."""

import signal
import time
from collections.abc import Callable
from typing import Any

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer, create_server

# A client that never sends the rest of its request must not keep the process for ever; an upload
# that waits for its verdict is answered within a minute.
LONGEST_END_S = 75.0
# How often a server that is ending looks whether it may; sockets wake it up in between.
TICK_S = 0.5


class Server:
    """A waitress server that ends on SIGTERM and SIGINT, not in the middle of an answer."""

    def __init__(self, application: Callable[..., Any], **adjustments: Any) -> None:
        # Waitress keeps here whatever it waits for: listeners, connections, its own trigger.
        self._sockets: dict[int, Any] = {}
        self._server = create_server(application, map=self._sockets, **adjustments)
        self._is_ending = False
        # Before anybody is told that the server is there, and may ask it to end.
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, self._on_signal)

    def run(self, announce_end: Callable[[], None]) -> None:
        """Serve until a signal comes; then refuse new connections and answer the rest."""
        while not self._is_ending:
            self._wait()
        for listener in self._of_type(BaseWSGIServer):
            wasyncore.dispatcher.close(listener)
        announce_end()
        latest = time.monotonic() + LONGEST_END_S
        while any(map(_is_busy, self._of_type(HTTPChannel))) and time.monotonic() < latest:
            self._wait()
        self._server.task_dispatcher.shutdown()

    def _on_signal(self, number: int, frame: object) -> None:
        # The same signal once more ends the process at once.
        signal.signal(number, signal.SIG_DFL)
        self._is_ending = True

    def _wait(self) -> None:
        wasyncore.loop(timeout=TICK_S, map=self._sockets, count=1)

    def _of_type(self, kind: type) -> list[Any]:
        return [each for each in self._sockets.values() if isinstance(each, kind)]


def _is_busy(channel: HTTPChannel) -> bool:
    """Whether a request is being received, worked on or answered."""
    return bool(channel.request or channel.requests or channel.total_outbufs_len)
