"""GitHub as a forge: check runs and the one comment, found again before anything is made anew."""

import re
from collections.abc import Sequence
from typing import Any

from github import Github
from github.Repository import Repository

from triage.publish.check_run import NAME, Annotation, CheckRun
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
            found = self._find_check(sha, key, check)
            if found is None:
                return self._make_check(sha, key, check)
            try:
                with translated():
                    return self._change_check(found, key, check)
            except RefusedForgeError as error:
                if not is_not_ours(error):
                    raise
                return self._make_check(sha, key, check)

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

    def _find_check(self, sha: str, key: str, check: CheckRun) -> Any:
        """Return the newest run of this key, or one that is still open and may be taken over.

        It is looked up each time: the answer that made it may have been lost. GitHub shows a
        completed run as it ended, so that what runs again is a new run.
        """
        runs = self._repository.get_commit(sha).get_check_runs(check_name=NAME, filter="all")
        ours = sorted(
            (run for run in runs if run.app.id == self._app_id), key=lambda run: -int(run.id)
        )
        still_open = [run for run in ours if run.status != COMPLETED]
        if check.status == COMPLETED:
            still_open = [*(run for run in ours if run.external_id == key), *still_open]
        return next(iter(still_open), None)

    def _make_check(self, sha: str, key: str, check: CheckRun) -> Shown:
        first, *rest = _batches(check.annotations)
        made = self._repository.create_check_run(
            name=NAME, head_sha=sha, external_id=key, **_told(check, first)
        )
        return _annotated(made, check, rest)

    def _change_check(self, found: Any, key: str, check: CheckRun) -> Shown:
        first, *rest = _batches(_missing(found, check))
        found.edit(external_id=key, **_told(check, first))
        return _annotated(found, check, rest)


def _missing(found: Any, check: CheckRun) -> list[Annotation]:
    """Return the annotations that a run does not have: a forge appends whatever it is sent.

    They are looked up, since some may be of an earlier verdict that the run was open for.
    """
    if not found.output.annotations_count:
        return list(check.annotations)
    known = {(each.path, each.start_line, each.title) for each in found.get_annotations()}
    return [
        each for each in check.annotations if (each.path, each.start_line, each.title) not in known
    ]


def _batches(annotations: Sequence[Annotation]) -> list[Sequence[Annotation]]:
    """Return annotations as requests take them; one batch at least, which may be empty."""
    size = ANNOTATIONS_PER_REQUEST
    return [annotations[start : start + size] for start in range(0, len(annotations) or 1, size)]


def _annotated(run: Any, check: CheckRun, batches: Sequence[Sequence[Annotation]]) -> Shown:
    for batch in batches:
        run.edit(output=check.output(batch))
    return Shown(run.id)


def _told(check: CheckRun, annotations: Sequence[Annotation]) -> dict[str, Any]:
    told: dict[str, Any] = {"status": check.status, "output": check.output(annotations)}
    if check.conclusion is not None:
        told["conclusion"] = check.conclusion
    told["actions"] = [
        {"label": each.label, "description": each.description, "identifier": str(each.identifier)}
        for each in check.actions
    ]
    return told
