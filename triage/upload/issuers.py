"""Who may say which workflow somebody is: issuers, their addresses, their keys.

https://docs.github.com/en/actions/reference/security/oidc
"""

import threading
import time
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import requests
from django.conf import settings
from jwt import PyJWK, PyJWKClient
from jwt.exceptions import PyJWKClientConnectionError, PyJWKError, PyJWKSetError

from triage.errors import UnavailableError

GITHUB = "https://token.actions.githubusercontent.com"
DISCOVERY = "/.well-known/openid-configuration"
TIMEOUT_S = 5
# Keys are fetched anew for a token that names an unknown one, and at most this often: anybody may
# send such a token.
REFRESH_PAUSE_S = 30.0
RETRY_PAUSE_S = 10.0


def allowed_issuers() -> list[str]:
    """Return the issuers whose tokens are taken."""
    return list(settings.GITHUB_ID_TOKEN_ISSUERS)


def issuer_of(html_url: str) -> str:
    """Return the issuer of the GitHub that has its pages at an address."""
    parts = urlsplit(html_url)
    host = parts.netloc
    if host == "github.com":
        return GITHUB
    if host.endswith(".ghe.com"):
        return f"https://token.actions.{host}"
    return f"{parts.scheme}://{host}/_services/token"


class IssuerKeys:
    """The public keys of one issuer, kept, and fetched anew when a token names another one."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        self._lock = threading.Lock()
        self._client: PyJWKClient | None = None
        self._failed_at: float | None = None

    def find(self, kid: str) -> PyJWK:
        """Return a key by its id.

        Raises ``UnavailableError`` when the issuer does not answer, ``PyJWKClientError`` when it
        has no such key.
        """
        with self._lock:
            self._refuse_again_so_soon()
            try:
                self._client = self._client or self._connect()
                return self._client.get_signing_key(kid)
            except (
                requests.RequestException,
                PyJWKClientConnectionError,
                PyJWKSetError,
                PyJWKError,
                ValueError,
            ) as error:
                self._failed_at = time.monotonic()
                raise self._unavailable() from error

    def _refuse_again_so_soon(self) -> None:
        failed_at = self._failed_at
        if failed_at is not None and time.monotonic() - failed_at < RETRY_PAUSE_S:
            raise self._unavailable()

    def _unavailable(self) -> UnavailableError:
        return UnavailableError(
            f"the keys of {self._issuer} cannot be fetched, so that its tokens cannot be checked; "
            "try again later, or send a project token"
        )

    def _connect(self) -> PyJWKClient:
        answer = requests.get(self._issuer + DISCOVERY, timeout=TIMEOUT_S, allow_redirects=False)
        answer.raise_for_status()
        told: dict[str, Any] = answer.json()
        address = str(told.get("jwks_uri", ""))
        theirs, ours = urlsplit(address), urlsplit(self._issuer)
        if told.get("issuer") != self._issuer or theirs[:2] != ours[:2]:
            raise ValueError(f"{self._issuer} describes another issuer or keys elsewhere")
        return PyJWKClient(address, timeout=TIMEOUT_S, cooldown_duration=REFRESH_PAUSE_S)


@lru_cache(maxsize=16)
def keys_of(issuer: str) -> IssuerKeys:
    """Return the keys of an allowed issuer, the same object each time."""
    return IssuerKeys(issuer)
