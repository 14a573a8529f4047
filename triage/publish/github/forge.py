"""GitHub as a forge: check runs and the one comment, found again before anything is made anew."""

import re
from typing import Any

from github import Github
from github.Repository import Repository

from triage.publish.check_run import NAME, CheckRun
from triage.publish.forge import GoneForgeError, RefusedForgeError, Shown
from triage.publish.github.comments import set_sticky_comment
from triage.publish.github.failures import is_not_ours, translated

ANNOTATIONS_PER_REQUEST = 50
COMPLETED = "completed"
# What GitHub says of somebody without any access; it knows no other answer for strangers.
NOBODY = "none"
# How GitHub words the commits that it makes of a pull request; a person's merge reads otherwise.
MERGED_FOR_CI = re.compile(r"Merge ([0-9a-f]{40,64}) into [0-9a-f]{40,64}")


class GitHubForge:
    """One repository on GitHub, reached as an installation of the App."""

    def __init__(self, client: Github, full_name: str, app_id: int, slug: str) -> None:
        self._repository: Repository = client.get_repo(full_name)
        self._app_id = app_id
        self._author = f"{slug}[bot]"

    def set_check(self, sha: str, key: str, check: CheckRun) -> Shown:
        """Show a check run on a commit, and append the annotations that it does not have yet."""
        with translated():
            found = self._find_check(sha, key)
            if found is None:
                found = self._make_check(sha, key, check)
            else:
                found = self._change_check(found, sha, key, check)
            return self._annotate(found, check)

    def set_comment(self, number: int, body: str, known: int | None) -> Shown:
        """Show the comment on a pull request: edited in place, made only if there is none."""
        return set_sticky_comment(
            self._repository.get_issue(number), body, known, lambda: self._author
        )

    def permission_of(self, login: str) -> str:
        """Return what a person may do in the repository: none, read, write or admin."""
        try:
            with translated():
                return str(self._repository.get_collaborator_permission(login))
        except GoneForgeError:
            return NOBODY

    def head_of_merge(self, sha: str) -> str | None:
        """Return the head that GitHub merged for CI to test; ``None`` for any other commit."""
        try:
            with translated():
                commit = self._repository.get_commit(sha)
                told = MERGED_FOR_CI.match(commit.commit.message)
                parents = [parent.sha for parent in commit.parents]
        except (GoneForgeError, RefusedForgeError):
            return None
        return parents[1] if told and parents[1:] == [told[1]] else None

    def _find_check(self, sha: str, key: str) -> Any:
        """Return the run of this key, or one that is still open and waits to be taken over.

        It is looked up each time: the answer that made it may have been lost.
        """
        runs = self._repository.get_commit(sha).get_check_runs(check_name=NAME, filter="all")
        ours = [run for run in runs if run.app.id == self._app_id]
        of_key = [run for run in ours if run.external_id == key]
        still_open = [run for run in ours if run.status != COMPLETED]
        return next(iter([*of_key, *still_open]), None)

    def _make_check(self, sha: str, key: str, check: CheckRun) -> Any:
        return self._repository.create_check_run(
            name=NAME, head_sha=sha, external_id=key, **_told(check, ANNOTATIONS_PER_REQUEST, 0)
        )

    def _change_check(self, found: Any, sha: str, key: str, check: CheckRun) -> Any:
        if found.status == COMPLETED and check.status != COMPLETED:
            # GitHub shows a completed run as it ended; what runs again is a new run.
            return self._make_check(sha, key, check)
        sent = found.output.annotations_count
        try:
            with translated():
                found.edit(external_id=key, **_told(check, ANNOTATIONS_PER_REQUEST, sent))
        except RefusedForgeError as error:
            if not is_not_ours(error):
                raise
            return self._make_check(sha, key, check)
        return found

    def _annotate(self, found: Any, check: CheckRun) -> Shown:
        """Send the rest of the annotations from GitHub's own count: a forge appends them."""
        sent = found.output.annotations_count
        while sent < len(check.annotations):
            found.edit(output=check.output(sent, ANNOTATIONS_PER_REQUEST))
            if found.output.annotations_count <= sent:
                break
            sent = found.output.annotations_count
        return Shown(found.id, sent)


def _told(check: CheckRun, batch: int, sent: int) -> dict[str, Any]:
    told: dict[str, Any] = {"status": check.status, "output": check.output(sent, batch)}
    if check.conclusion is not None:
        told["conclusion"] = check.conclusion
    told["actions"] = [
        {"label": each.label, "description": each.description, "identifier": str(each.identifier)}
        for each in check.actions
    ]
    return told
