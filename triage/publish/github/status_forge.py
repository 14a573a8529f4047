"""GitHub as a forge without the App: commit statuses and the one comment, with a token.

https://docs.github.com/rest/commits/statuses
"""

from collections.abc import Mapping
from typing import Any

from github import Github
from github.Repository import Repository

from triage.publish.check_run import CheckRun
from triage.publish.forge import Shown
from triage.publish.github.comments import set_sticky_comment
from triage.publish.github.failures import translated
from triage.publish.statuses import NAME, Status, status_of

LONGEST_DESCRIPTION = 140
# What nobody has to act on lets a pull request pass, as a neutral check does. What a person must
# decide does not.
STATES = {
    "in_progress": "pending",
    "success": "success",
    "neutral": "success",
    "failure": "failure",
    "action_required": "failure",
}
MOST_STATUSES = 100


class GitHubStatusForge:
    """One repository on GitHub, reached with a person's or a machine account's token."""

    def __init__(self, client: Github, full_name: str) -> None:
        self._client, self._full_name = client, full_name
        self._repository: Repository = client.get_repo(full_name)

    def prove(self) -> None:
        """Raise ``ForgeError`` unless the token reaches the repository."""
        with translated():
            self._repository.complete()

    def set_check(self, sha: str, key: str, check: CheckRun) -> Shown:
        """Show a status on a commit; one that says the same already stays."""
        wanted = status_of(check, STATES, LONGEST_DESCRIPTION)
        with translated():
            newest = self._newest_status(sha)
            if newest and _says(newest, wanted):
                return Shown(newest["id"])
            made = self._repository.get_commit(sha).create_status(
                state=wanted.state,
                target_url=wanted.target_url,
                description=wanted.description,
                context=NAME,
            )
            return Shown(made.id)

    def set_comment(self, number: int, body: str, known: int | None) -> Shown:
        """Show the comment on a pull request."""
        issue = self._repository.get_issue(number)
        return set_sticky_comment(issue, body, known, lambda: self._client.get_user().login)

    def _newest_status(self, sha: str) -> Any:
        """Return the newest status of our name, as documented; PyGithub asks elsewhere."""
        _, found = self._client.requester.requestJsonAndCheck(
            "GET",
            f"/repos/{self._full_name}/commits/{sha}/statuses",
            parameters={"per_page": MOST_STATUSES},
        )
        return next((each for each in found if each["context"] == NAME), None)


def _says(shown: Mapping[str, Any], wanted: Status) -> bool:
    told = Status(shown["state"], shown["description"] or "", shown["target_url"] or "")
    return told == wanted
