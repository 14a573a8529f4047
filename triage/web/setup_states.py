"""Set-ups that were begun: each is tied to the session that began it, and ends once."""

import secrets
import time
from dataclasses import asdict, dataclass
from typing import Any

from django.http import HttpRequest

SESSION_KEY = "github_setups"
# GitHub's code holds for an hour.
VALID_S = 3_600
MOST_STATES = 10


@dataclass(frozen=True, slots=True)
class BegunSetup:
    """On which GitHub the App is being made, and since when."""

    web_url: str
    at: float


def begin(request: HttpRequest, web_url: str) -> str:
    """Keep that a set-up was begun; return the state that GitHub must send back."""
    state = secrets.token_urlsafe(32)
    begun = dict(list(_begun(request).items())[-(MOST_STATES - 1) :])
    request.session[SESSION_KEY] = {**begun, state: asdict(BegunSetup(web_url, time.time()))}
    return state


def end(request: HttpRequest, state: str) -> BegunSetup | None:
    """Return the set-up that was begun with a state, this once; ``None`` for any other state."""
    begun = _begun(request)
    found = begun.pop(state, None)
    request.session[SESSION_KEY] = begun
    setup = BegunSetup(**found) if found else None
    return setup if setup and time.time() - setup.at <= VALID_S else None


def _begun(request: HttpRequest) -> dict[str, dict[str, Any]]:
    return dict(request.session.get(SESSION_KEY, {}))
