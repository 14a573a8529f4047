"""Workflow runs of one repository on GitHub: where they stand, and running failed jobs again."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests
from github import Github

from triage.publish.forge import GoneForgeError, RefusedForgeError
from triage.publish.github.failures import translated

COMPLETED = "completed"
PER_PAGE = 100
# No workflow of a test suite leaves so many; whoever lists more wants to keep us busy.
MOST_PAGES = 5
CONNECT_S, READ_S = 10, 30
PIECE = 2**16


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """Where a workflow run stands."""

    attempt: int
    is_completed: bool


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something that a workflow run left behind, as a zip."""

    id: int
    name: str
    size_bytes: int
    is_expired: bool


class GitHubWorkflows:
    """The workflow runs of a repository, reached as an installation of the App."""

    def __init__(self, client: Github, full_name: str) -> None:
        self._client = client
        self._address = f"/repos/{full_name}/actions"

    def run(self, number: int) -> WorkflowRun:
        """Return where a workflow run stands."""
        told = self._get(f"{self._address}/runs/{number}")
        return WorkflowRun(int(told["run_attempt"]), told["status"] == COMPLETED)

    def rerun_failed_jobs(self, number: int) -> None:
        """Run the failed jobs again, as the next attempt.

        PyGithub's own method answers with ``False`` to whatever goes wrong.
        """
        with translated():
            self._client.requester.requestJsonAndCheck(
                "POST", f"{self._address}/runs/{number}/rerun-failed-jobs"
            )

    def artifacts(self, number: int) -> list[Artifact]:
        """Return the artifacts of a workflow run, those of all its attempts."""
        found: list[Artifact] = []
        for page in range(1, MOST_PAGES + 1):
            query = f"per_page={PER_PAGE}&page={page}"
            told = self._get(f"{self._address}/runs/{number}/artifacts?{query}")
            found += [_artifact(each) for each in told["artifacts"]]
            if len(told["artifacts"]) < PER_PAGE:
                break
        return found

    def download(self, artifact: int, most_bytes: int) -> bytes:
        """Return an artifact's zip; raise ``RefusedForgeError`` for one that is too large.

        GitHub answers with a signed address on another host, to which the App's token must not
        go; whatever that host sends is counted as it comes.
        """
        with translated():
            status, headers, _ = self._client.requester.requestJson(
                "GET", f"{self._address}/artifacts/{artifact}/zip"
            )
            if status != requests.codes.found or "location" not in headers:
                raise GoneForgeError(f"GitHub answered {status} for artifact {artifact}")
            return _downloaded(self._checked(headers["location"]), most_bytes)

    def _checked(self, location: str) -> str:
        """Return an address that may be followed: no less protected than the API's own."""
        wanted = urlsplit(self._client.requester.base_url).scheme
        if urlsplit(location).scheme not in {"https", wanted}:
            raise RefusedForgeError(f"GitHub sent us to {location[:80]!r}, which is not https")
        return location

    def _get(self, address: str) -> dict[str, Any]:
        with translated():
            _, told = self._client.requester.requestJsonAndCheck("GET", address)
        return dict(told)


def _artifact(told: dict[str, Any]) -> Artifact:
    return Artifact(
        int(told["id"]), str(told["name"]), int(told["size_in_bytes"]), bool(told["expired"])
    )


def _downloaded(address: str, most_bytes: int) -> bytes:
    body = bytearray()
    with requests.get(
        address,
        stream=True,
        timeout=(CONNECT_S, READ_S),
        allow_redirects=False,
        # Neither a token nor what this machine keeps for the host in a .netrc.
        auth=_without_credentials,
    ) as answer:
        answer.raise_for_status()
        for piece in answer.iter_content(PIECE):
            body += piece
            if len(body) > most_bytes:
                raise RefusedForgeError(f"the artifact holds more than {most_bytes} bytes")
    return bytes(body)


def _without_credentials(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request
