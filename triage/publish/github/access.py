"""Act as the App or as one of its installations, with as few rights as the work needs."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from github import Auth, Github, GithubIntegration

from triage.publish.forge import RefusedForgeError
from triage.publish.github.failures import translated

TIMEOUT_S = 15
USER_AGENT = "tiebreak"
# A token that expires while it is used fails the work; GitHub's last an hour.
EARLIEST_RENEWAL_S = 120.0
PUBLISHING = {"checks": "write", "pull_requests": "write", "contents": "read", "actions": "read"}

# Asked for only where failed jobs are re-run: most installations do without it.
RERUNNING = {"actions": "write"}


@dataclass(frozen=True)
class AppKey:
    """The App with its private key."""

    app_id: int
    private_key: str
    api_url: str


_SIGNERS: dict[str, RSAPrivateKey] = {}
# By API, App, installation, repository (none: all that it reaches) and permissions.
_TOKENS: dict[tuple[str, int, int, int | None, str], tuple[str, float]] = {}
_LOCK = threading.Lock()


def app_client(key: AppKey) -> GithubIntegration:
    """Return a client that acts as the App itself."""
    # PyGithub reads a PEM anew for each token, which takes 50 ms; a loaded key takes one.
    auth = Auth.AppAuth(key.app_id, None, sign_func=lambda claims: _signed(key, claims))
    return GithubIntegration(auth=auth, **_manners(key.api_url))


def load_private_key(text: str) -> RSAPrivateKey:
    """Return the App's key; raise ``RefusedForgeError`` if the text is none."""
    try:
        loaded = load_pem_private_key(text.encode(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        loaded = None
    if not isinstance(loaded, RSAPrivateKey):
        raise RefusedForgeError(
            "the App's private key must be an RSA key in PEM form, from the line with BEGIN to the "
            "line with END, without a passphrase"
        )
    return loaded


def anonymous_client(api_url: str) -> Github:
    """Return a client of nobody, for what GitHub answers without a token."""
    return Github(lazy=True, **_manners(api_url))


def token_client(token: str, api_url: str) -> Github:
    """Return a client of whoever a token belongs to."""
    return Github(auth=Auth.Token(token), lazy=True, per_page=100, **_manners(api_url))


def installation_client(
    key: AppKey,
    installation: int,
    repository: int | None,
    permissions: Mapping[str, str] = PUBLISHING,
) -> Github:
    """Return a client that reaches one repository of an installation, and no more.

    Without a repository it reaches all of them, with these permissions.
    """
    token = _token(key, installation, repository, permissions)
    return Github(auth=Auth.Token(token), lazy=True, per_page=100, **_manners(key.api_url))


def forget_token(key: AppKey, installation: int, repository: int) -> None:
    """Fetch a new token next time: GitHub no longer takes the one that is known."""
    with _LOCK:
        place = (key.api_url, key.app_id, installation, repository)
        for known in [name for name in _TOKENS if name[:4] == place]:
            del _TOKENS[known]


def _manners(api_url: str) -> dict[str, Any]:
    """Return how every client behaves: it neither retries nor sleeps, since the outbox does both.

    PyGithub repeats a POST that was answered with 502 after the work was done, which makes two
    comments, and sleeps for up to an hour inside a worker.
    """
    return {
        "base_url": api_url,
        "timeout": TIMEOUT_S,
        "user_agent": USER_AGENT,
        "retry": 0,
        "seconds_between_requests": 0,
        "seconds_between_writes": 0,
    }


def _token(
    key: AppKey, installation: int, repository: int | None, permissions: Mapping[str, str]
) -> str:
    told = repr(sorted(permissions.items()))
    name = (key.api_url, key.app_id, installation, repository, told)
    with _LOCK:
        token, until = _TOKENS.get(name, ("", 0.0))
    if until > time.time():
        return token
    wanted: dict[str, Any] = {"permissions": dict(permissions)}
    if repository is not None:
        wanted["repository_ids"] = [repository]
    with translated():
        _, answer = app_client(key).requester.requestJsonAndCheck(
            "POST", f"/app/installations/{installation}/access_tokens", input=wanted
        )
    token, until = answer["token"], time.time() + 3_600 - EARLIEST_RENEWAL_S
    with _LOCK:
        _TOKENS[name] = token, until
    return str(token)


def _signed(key: AppKey, claims: Mapping[str, Any]) -> str:
    signer = _SIGNERS.get(key.private_key)
    if signer is None:
        signer = _SIGNERS[key.private_key] = load_private_key(key.private_key)
    return jwt.encode(dict(claims), signer, algorithm="RS256")
