"""A mail server on this machine that keeps what it is sent."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller

from tests.servers.ports import LOOPBACK, free_port


@dataclass
class MailReceiver:
    """A running server: where it is, what it got, what it refuses next."""

    port: int
    refusals: list[str] = field(default_factory=list)
    refused_mails: list[str] = field(default_factory=list)
    mails: list[EmailMessage] = field(default_factory=list)

    async def handle_RCPT(
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        """Take a recipient, or refuse as the test wants it."""
        if self.refusals:
            return self.refusals.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        """Keep a mail, or refuse it as the test wants."""
        if self.refused_mails:
            return self.refused_mails.pop(0)
        self.mails.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"


@contextmanager
def receiving_mail(*refusals: str) -> Iterator[MailReceiver]:
    """Run a mail server for the length of a block; it refuses the first recipients like this."""
    receiver = MailReceiver(free_port(), list(refusals))
    controller = Controller(receiver, hostname=LOOPBACK, port=receiver.port)
    controller.start()
    try:
        yield receiver
    finally:
        controller.stop()
