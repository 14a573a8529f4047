"""Workflow runs of one repository on GitHub: where they stand, and running failed jobs again."""

from dataclasses import dataclass
from typing import Any

from github import Github

from triage.publish.github.failures import translated

COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """Where a workflow run stands."""

    attempt: int
    is_completed: bool


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

    def _get(self, address: str) -> dict[str, Any]:
        with translated():
            _, told = self._client.requester.requestJsonAndCheck("GET", address)
        return dict(told)
