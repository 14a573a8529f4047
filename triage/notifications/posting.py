"""Post to a web address that somebody else chose: the connection goes to the address checked.

A name is resolved once, so that a second answer (DNS rebinding) cannot lead anywhere else.
Redirects are not followed and proxies are not used.
"""

import http.client
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Timer

from django.conf import settings

from triage.models.notifications import RESPONSE_LENGTH
from triage.notifications.addresses import is_allowed
from triage.notifications.failures import PermanentFailure, TemporaryFailure
from triage.notifications.web_addresses import WebAddress

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 10.0
# For the whole exchange: a receiver that sends a byte now and then keeps no worker for longer.
DEADLINE_S = 20.0

# Returns the IP addresses of a host name.
Resolve = Callable[[str, int], list[str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a receiver answered: status, the beginning of the text, and when to come again."""

    status: int
    text: str
    location: str
    retry_after: str


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host, in the order to try; raise ``TemporaryFailure`` if none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise TemporaryFailure(f"the host name {host!r} cannot be resolved: {error}") from None
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def post(
    target: WebAddress, body: bytes, headers: Mapping[str, str], resolve: Resolve = resolve
) -> Answer:
    """Post a body and return the answer, whatever its status."""
    addresses = resolve(target.host, target.port)
    for address in addresses:
        _refuse_private(target.host, address)
    connection = _PinnedConnection(target, addresses)
    try:
        with connection.deadline():
            connection.request("POST", target.path, body, {"Host": target.host_header, **headers})
            return _answer(connection.getresponse())
    except ssl.SSLCertVerificationError as error:
        raise PermanentFailure(
            f"the certificate of {target.host} is not valid: {error.verify_message}"
        ) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise TemporaryFailure(f"{target.host} did not answer: {reason}") from None
    finally:
        connection.close()


def _refuse_private(host: str, address: str) -> None:
    if not is_allowed(address, private=settings.ALLOW_PRIVATE_WEBHOOKS):
        raise PermanentFailure(
            f"{host} leads to {address}, which is not a public address; an operator may allow "
            "private ones with ALLOW_PRIVATE_WEBHOOKS=true"
        )


class _PinnedConnection(http.client.HTTPConnection):
    """A connection to addresses that were checked, under the name that was asked for."""

    def __init__(self, target: WebAddress, addresses: list[str]) -> None:
        super().__init__(target.host, target.port, timeout=READ_TIMEOUT_S)
        self._target = target
        self._addresses = addresses

    def connect(self) -> None:
        """Connect to the first address that answers."""
        plain = self._connect_to_any()
        plain.settimeout(READ_TIMEOUT_S)
        self.sock = plain
        if self._target.is_encrypted:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(plain, server_hostname=self._target.host)

    def _connect_to_any(self) -> socket.socket:
        *others, last = self._addresses
        for address in others:
            try:
                return socket.create_connection((address, self._target.port), CONNECT_TIMEOUT_S)
            except OSError:
                # The next address may be reachable, as where IPv6 is configured and not routed.
                continue
        return socket.create_connection((last, self._target.port), CONNECT_TIMEOUT_S)

    @contextmanager
    def deadline(self) -> Iterator[None]:
        """Break the exchange off when it takes too long as a whole."""
        timer = Timer(DEADLINE_S, self._break_off)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _break_off(self) -> None:
        if self.sock is not None:
            with suppress(OSError):  # it may have ended by itself in this moment
                self.sock.shutdown(socket.SHUT_RDWR)


def _answer(response: http.client.HTTPResponse) -> Answer:
    text = response.read(RESPONSE_LENGTH * 4).decode(errors="replace")
    return Answer(
        response.status,
        "".join(each if each.isprintable() else " " for each in text)[:RESPONSE_LENGTH],
        response.headers.get("Location", ""),
        response.headers.get("Retry-After", ""),
    )
