"""GitHub as a forge: check runs and the one comment, found again before anything is made anew."""

import re
from itertools import islice
from typing import Any

from github import Github
from github.Repository import Repository

from triage.publish.check_run import NAME, CheckRun
from triage.publish.comment import MARKER
from triage.publish.forge import GoneForgeError, RefusedForgeError, Shown
from triage.publish.github.failures import is_not_ours, translated

ANNOTATIONS_PER_REQUEST = 50
COMPLETED = "completed"
# How GitHub words the commits that it makes of a pull request; a person's merge reads otherwise.
MERGED_FOR_CI = re.compile(r"Merge ([0-9a-f]{40,64}) into [0-9a-f]{40,64}")
# Nobody reads so far back; a comment that old is not found again, and a new one is made.
MOST_COMMENTS = 1_000


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
        with translated():
            issue = self._repository.get_issue(number)
            comment = self._comment_by_number(issue, known) or self._comment_by_marker(issue)
            if comment is None:
                return Shown(issue.create_comment(body).id)
            if comment.body != body:
                comment.edit(body)
            return Shown(comment.id)

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

    def _comment_by_number(self, issue: Any, known: int | None) -> Any:
        if known is None:
            return None
        try:
            with translated():
                comment = issue.get_comment(known)
                comment.complete()
                return comment
        except GoneForgeError:
            # Somebody deleted it; a new one is made.
            return None

    def _comment_by_marker(self, issue: Any) -> Any:
        for comment in islice(issue.get_comments(), MOST_COMMENTS):
            if comment.user.login == self._author and comment.body.startswith(MARKER):
                return comment
        return None


def _told(check: CheckRun, batch: int, sent: int) -> dict[str, Any]:
    told: dict[str, Any] = {"status": check.status, "output": check.output(sent, batch)}
    if check.conclusion is not None:
        told["conclusion"] = check.conclusion
    told["actions"] = [
        {"label": each.label, "description": each.description, "identifier": str(each.identifier)}
        for each in check.actions
    ]
    return told
