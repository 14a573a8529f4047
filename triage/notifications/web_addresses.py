"""Read the URL that messages go to; only plain web addresses are taken."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from triage.errors import InvalidRequestError
from triage.notifications.addresses import is_allowed_port

MOST_CHARACTERS = 2000
# RFC 1035, section 2.3.4, less the bytes that frame the name.
LONGEST_HOST = 253
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An http(s) URL in the pieces that a connection needs."""

    is_encrypted: bool
    host: str
    port: int
    # Path and query.
    path: str

    @property
    def host_header(self) -> str:
        """The name that is asked for, with the port where it is not the usual one."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        usual = DEFAULT_PORTS["https" if self.is_encrypted else "http"]
        return name if self.port == usual else f"{name}:{self.port}"

    def __str__(self) -> str:
        """Return what people may see: a path can be a password, so it is left out."""
        scheme = "https" if self.is_encrypted else "http"
        return f"{scheme}://{self.host_header}/…"


def read_web_address(url: str) -> WebAddress:
    """Return the pieces of a URL; raise ``InvalidRequestError`` saying what is not legal."""
    if len(url) > MOST_CHARACTERS or not url.isascii() or not url.isprintable() or " " in url:
        raise InvalidRequestError(
            f"the URL must have at most {MOST_CHARACTERS} printable ASCII characters without "
            f"blanks, got {url[:80]!r}; encode others as %XX and host names as xn--…"
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InvalidRequestError(f"the URL {url[:80]!r} cannot be read: {error}") from None
    if parts.scheme not in DEFAULT_PORTS or not 0 < len(parts.hostname or "") <= LONGEST_HOST:
        raise InvalidRequestError(
            f"the URL must be http:// or https:// with a host name, got {url[:80]!r}"
        )
    if parts.username is not None or parts.password is not None:
        raise InvalidRequestError("the URL must not hold a user name or password before its host")
    port = DEFAULT_PORTS[parts.scheme] if port is None else port
    if not is_allowed_port(port):
        raise InvalidRequestError(f"the URL's port must be 80, 443 or above 1023, got {port}")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebAddress(parts.scheme == "https", str(parts.hostname), port, path)
