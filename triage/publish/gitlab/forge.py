"""GitLab as a forge: a commit status and the one note, found again before anything is made anew.

https://docs.gitlab.com/api/commits/#set-commit-pipeline-status
https://docs.gitlab.com/api/notes/#merge-requests
"""

from collections.abc import Iterator
from typing import Any

from triage.publish.check_run import CheckRun
from triage.publish.comment import MARKER
from triage.publish.forge import GoneForgeError, RefusedForgeError, Shown
from triage.publish.gitlab.client import GitLabClient
from triage.publish.statuses import NAME, Status, status_of

LONGEST_DESCRIPTION = 255
# GitLab knows no neutral and no "somebody must act".
STATES = {
    "in_progress": "pending",
    "success": "success",
    "neutral": "success",
    "failure": "failed",
    "action_required": "failed",
}
PENDING = STATES["in_progress"]
NO_TRANSITION = "Cannot transition status"
PER_PAGE = 100
# Nobody reads so far back; a note that old is not found again, and a new one is made.
MOST_PAGES = 10


class GitLabForge:
    """One project on GitLab."""

    def __init__(self, client: GitLabClient) -> None:
        self._client = client

    def prove(self) -> None:
        """Raise ``ForgeError`` unless the token reaches the project."""
        self._client.of_project("GET", "")

    def set_check(self, sha: str, key: str, check: CheckRun) -> Shown:
        """Show a status on a commit; one that says the same already stays."""
        wanted = status_of(check, STATES, LONGEST_DESCRIPTION)
        newest = self._newest_status(sha)
        if newest and _stays(newest, wanted):
            return Shown(newest["id"])
        body = {
            "state": wanted.state,
            "name": NAME,
            "description": wanted.description,
            "target_url": wanted.target_url,
        }
        try:
            made = self._client.of_project("POST", f"/statuses/{sha}", body)
        except RefusedForgeError as error:
            if newest is None or NO_TRANSITION not in str(error):
                raise
            # Somebody else has just told the same.
            return Shown(newest["id"])
        return Shown(made["id"])

    def set_comment(self, number: int, body: str, known: int | None) -> Shown:
        """Show the note on a merge request: edited in place, made only if there is none."""
        notes = f"/merge_requests/{number}/notes"
        note = self._note_by_number(notes, known) or self._note_by_marker(notes)
        if note is None:
            return Shown(self._client.of_project("POST", notes, {"body": body})["id"])
        if note["body"] != body:
            self._client.of_project("PUT", f"{notes}/{note['id']}", {"body": body})
        return Shown(note["id"])

    def _newest_status(self, sha: str) -> Any:
        path = f"/repository/commits/{sha}/statuses"
        found = self._client.of_project("GET", path, query={"name": NAME, "per_page": PER_PAGE})
        ours = [each for each in found if each["name"] == NAME]
        return max(ours, key=lambda each: int(each["id"]), default=None)

    def _note_by_number(self, notes: str, known: int | None) -> Any:
        if known is None:
            return None
        try:
            return self._client.of_project("GET", f"{notes}/{known}")
        except GoneForgeError:
            # Somebody deleted it; a new one is made.
            return None

    def _note_by_marker(self, notes: str) -> Any:
        marked = [each for each in self._notes(notes) if each["body"].startswith(MARKER)]
        if not marked:
            return None
        # Anybody may write the marker.
        account = self._client.whoami()
        return next((each for each in marked if each["author"]["id"] == account), None)

    def _notes(self, notes: str) -> Iterator[Any]:
        for number in range(1, MOST_PAGES + 1):
            query = {"per_page": PER_PAGE, "page": number, "sort": "asc"}
            page = self._client.of_project("GET", notes, query=query)
            yield from page
            if len(page) < PER_PAGE:
                return


def _stays(shown: Any, wanted: Status) -> bool:
    """Whether a status need not be told again; GitLab refuses a pending one over another."""
    if shown["status"] == wanted.state == PENDING:
        return True
    told = Status(shown["status"], shown["description"] or "", shown["target_url"] or "")
    return bool(told == wanted)
