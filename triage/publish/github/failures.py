"""Tell GitHub's refusals apart: come back later, never, or not here any more."""

from collections.abc import Iterator
from contextlib import contextmanager

import requests
from github import GithubException

from triage.publish.forge import (
    ForgeError,
    GoneForgeError,
    RefusedForgeError,
    TemporaryForgeError,
    TokenForgeError,
)

# GitHub asks for at least this when it names no time.
SECONDARY_LIMIT_S = 60.0
UNAUTHORIZED, FORBIDDEN, NOT_FOUND, TOO_MANY = 401, 403, 404, 429
# Of a token that asks for more than was granted, and of a request that its token does not cover.
NOT_GRANTED = ("not granted to this installation", "not accessible by integration")
TEMPORARY = frozenset({408, 425, 500, 502, 503, 504})


@contextmanager
def translated() -> Iterator[None]:
    """Raise what GitHub or the network answers as one of the forge's errors."""
    try:
        yield
    except GithubException as error:
        raise classify(error) from error
    except requests.RequestException as error:
        raise TemporaryForgeError(f"GitHub cannot be reached: {type(error).__name__}") from error


def classify(error: GithubException) -> ForgeError:
    """Return what an answer means for the one who asked."""
    status, message = error.status, _message(error)
    told = f"GitHub answered {status}: {message}"
    if _is_limit(status, message, error):
        return TemporaryForgeError(told, _pause(error))
    if status in TEMPORARY:
        return TemporaryForgeError(told)
    if status == UNAUTHORIZED:
        return TokenForgeError(told)
    if status in {NOT_FOUND, 410} or "suspended" in message.lower():
        return GoneForgeError(told)
    return RefusedForgeError(told)


def is_not_granted(error: ForgeError) -> bool:
    """Whether the account that installed the App has not granted it what the work needs."""
    told = str(error)
    return isinstance(error, RefusedForgeError) and any(words in told for words in NOT_GRANTED)


def is_not_ours(error: ForgeError) -> bool:
    """Whether a check run was made by another App, which alone may change it."""
    return isinstance(error, RefusedForgeError) and "app_id" in str(error)


def _is_limit(status: int, message: str, error: GithubException) -> bool:
    if status == TOO_MANY:
        return True
    headers = error.headers or {}
    is_spent = headers.get("x-ratelimit-remaining") == "0"
    named = "rate limit" in message.lower() or "abuse" in message.lower()
    return status == FORBIDDEN and (is_spent or named or "retry-after" in headers)


def _pause(error: GithubException) -> float:
    """Return the seconds that GitHub asks for, by the header that it prefers."""
    import time

    headers = error.headers or {}
    if "retry-after" in headers:
        return float(headers["retry-after"])
    if headers.get("x-ratelimit-remaining") == "0" and "x-ratelimit-reset" in headers:
        return max(float(headers["x-ratelimit-reset"]) - time.time(), 1.0)
    return SECONDARY_LIMIT_S


def _message(error: GithubException) -> str:
    data = error.data
    text = data.get("message", "") if isinstance(data, dict) else str(data)
    return str(text).split("\n")[0][:300]
