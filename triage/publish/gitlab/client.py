"""Ask GitLab's REST API: nothing is repeated and nothing sleeps here, since the outbox does both.

https://docs.gitlab.com/api/rest/
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import requests

from triage.errors import InvalidRequestError
from triage.publish.forge import (
    ForgeError,
    GoneForgeError,
    RefusedForgeError,
    TemporaryForgeError,
    TokenForgeError,
)
from triage.publish.remote_addresses import check_forge_address

TIMEOUT_S = 15
USER_AGENT = "tiebreak"
# GitLab names no time with some of its limits.
LIMIT_PAUSE_S = 60.0
TOO_MANY = 429
UNAUTHORIZED = 401
GONE = frozenset({404, 410})
TEMPORARY = frozenset({408, 425, 500, 502, 503, 504})


class GitLabClient:
    """One project on GitLab, reached with a token of a project, a group or a person."""

    def __init__(self, api_url: str, project: str, token: str) -> None:
        self._api_url = api_url
        self._project = f"{api_url}/projects/{quote(project, safe='')}"
        self._headers = {"PRIVATE-TOKEN": token, "User-Agent": USER_AGENT}

    def of_project(
        self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the answer to a request about the project; raise ``ForgeError`` if refused."""
        return self._ask(method, f"{self._project}{path}", body, query)

    def whoami(self) -> int:
        """Return the number of the account that the token belongs to."""
        return int(self._ask("GET", f"{self._api_url}/user", None, None)["id"])

    def _ask(self, method: str, url: str, body: Any, query: Mapping[str, Any] | None) -> Any:
        try:
            # Looked at each time: a name may lead elsewhere by now.
            check_forge_address(self._api_url)
            answer = requests.request(
                method,
                url,
                json=body,
                params=query,
                headers=self._headers,
                timeout=TIMEOUT_S,
                allow_redirects=False,
            )
        except InvalidRequestError as error:
            raise RefusedForgeError(error.message) from error
        except requests.RequestException as error:
            raise TemporaryForgeError(
                f"GitLab cannot be reached: {type(error).__name__}"
            ) from error
        if not answer.ok or answer.is_redirect:
            raise classify(answer)
        return answer.json()


def classify(answer: requests.Response) -> ForgeError:
    """Return what an answer means for the one who asked."""
    told = f"GitLab answered {answer.status_code}: {_message(answer)}"
    if answer.status_code == TOO_MANY:
        return TemporaryForgeError(told, _pause(answer))
    if answer.status_code in TEMPORARY:
        return TemporaryForgeError(told)
    if answer.status_code == UNAUTHORIZED:
        return TokenForgeError(told)
    return GoneForgeError(told) if answer.status_code in GONE else RefusedForgeError(told)


def _pause(answer: requests.Response) -> float:
    told = answer.headers.get("Retry-After", "")
    return float(told) if told.isdigit() else LIMIT_PAUSE_S


def _message(answer: requests.Response) -> str:
    try:
        told = answer.json()
    except requests.JSONDecodeError:
        told = answer.reason
    if isinstance(told, dict):
        told = told.get("message") or told.get("error_description") or told.get("error") or told
    return str(told).split("\n")[0][:300]
