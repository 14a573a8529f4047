"""One URL for the mail server, as Django's settings want it."""

from email.utils import parseaddr
from typing import Any
from urllib.parse import unquote, urlsplit

# Without encryption, with STARTTLS, and with TLS from the first byte; each with its usual port.
MAIL_SCHEMES = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
# A mail server that does not answer must not keep a worker.
TIMEOUT_S = 10


def mail_settings(url: str) -> dict[str, Any]:
    """Return Django's ``EMAIL_…`` settings for a URL such as smtp+tls://user:password@host."""
    parts = urlsplit(url)
    return {
        "EMAIL_HOST": parts.hostname or "localhost",
        "EMAIL_PORT": parts.port or MAIL_SCHEMES.get(parts.scheme, 0),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": TIMEOUT_S,
    }


def mail_address(value: str) -> str:
    """Return the sender's address; raise ``ValueError`` if it is none."""
    local, _, domain = parseaddr(value)[1].rpartition("@")
    if not local or not domain or not value.isprintable():
        raise ValueError("must be an e-mail address such as tiebreak@example.com")
    return value
