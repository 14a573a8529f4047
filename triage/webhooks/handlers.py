"""What each event of GitHub means for what is known, and for what is published."""

from collections.abc import Callable

from django.utils import timezone

from triage.actions.asking import ask
from triage.actions.attempts import ended_attempts
from triage.actions.following import note_empty_attempt, wake
from triage.models import (
    GitHubRepository,
    Installation,
    PullRequest,
    Run,
)
from triage.pipeline import close_run, judge_run, start_action
from triage.publish.installations import (
    connect,
    disconnect,
    follow_default_branch,
    follow_name,
)
from triage.publish.keys import verdict_of_key
from triage.publish.outbox import (
    end_without_results,
    show_again,
    want_waiting_check,
)
from triage.publish.repository_files import WATCHED, note_push
from triage.terms import Button, RunEnd
from triage.webhooks.fields import Body, at, time_at

Handler = Callable[[str, Body], None]
ENDED_AT = ("workflow_run", "updated_at")


def on_installation(action: str, body: Body) -> None:
    """Follow an installation: made, suspended, taken away for good."""
    installation = _installation(body)
    told_at = time_at(body, "installation", "updated_at")
    if action == "deleted":
        installation.removed_at = timezone.now()
    elif installation.told_at is None or told_at >= installation.told_at:
        installation.suspended_at = timezone.now() if action == "suspend" else None
        installation.told_at = told_at
    installation.save()
    connect(installation, at(body, "repositories") or ())


def on_installation_target(action: str, body: Body) -> None:
    """Follow the name of an account, which its repositories bear too."""
    account = str(at(body, "account", "login") or "")
    before = str(at(body, "changes", "login", "from") or "")
    if action != "renamed" or not account or not before:
        return
    installation = _installation(body)
    installation.account = account
    installation.save(update_fields=["account"])
    for known in installation.repositories.select_related("repository"):
        owner, _, name = known.full_name.partition("/")
        if owner == before:
            follow_name(known, f"{account}/{name}")


def on_installation_repositories(action: str, body: Body) -> None:
    """Follow the repositories that an installation reaches."""
    installation = _installation(body)
    connect(installation, at(body, "repositories_added") or ())
    disconnect(installation, [each["id"] for each in at(body, "repositories_removed") or ()])


def on_repository(action: str, body: Body) -> None:
    """Follow a name and the default branch: the history stays with the number."""
    known = GitHubRepository.objects.filter(github_id=at(body, "repository", "id")).first()
    if known is None:
        return
    if action in {"renamed", "transferred"}:
        follow_name(known, str(at(body, "repository", "full_name")))
    elif action == "edited" and at(body, "changes", "default_branch"):
        follow_default_branch(known.repository, at(body, "repository", "default_branch"))
    elif action == "deleted":
        known.removed_at = timezone.now()
        known.save(update_fields=["removed_at"])


def on_pull_request(action: str, body: Body) -> None:
    """Keep the newest head of a pull request, and show at once that its check is awaited."""
    known = _repository(body)
    if known is None:
        return
    pull_request = _newest(known, body)
    if pull_request and pull_request.is_open and action in {"opened", "synchronize", "reopened"}:
        want_waiting_check(known.repository_id, pull_request.head_sha)


def on_merge_group(action: str, body: Body) -> None:
    """Show that the check of a merge queue's commit is awaited."""
    known = _repository(body)
    sha = at(body, "merge_group", "head_sha")
    if known and action == "checks_requested" and sha:
        want_waiting_check(known.repository_id, sha)


def on_check_run(action: str, body: Body) -> None:
    """Judge again what somebody asks to be judged again, and take presses of buttons."""
    if action == "rerequested":
        _judge_again(body, str(at(body, "check_run", "head_sha")))
    elif action == "requested_action":
        _take_press(body)


def on_check_suite(action: str, body: Body) -> None:
    """Judge again all that a commit's check rests on."""
    if action == "rerequested":
        _judge_again(body, str(at(body, "check_suite", "head_sha")))


def on_workflow_run(action: str, body: Body) -> None:
    """Await no further part of a workflow's run, or end the check of a commit without a report."""
    known = _repository(body)
    sha = at(body, "workflow_run", "head_sha")
    if known is None or action != "completed" or not sha:
        return
    if not Run.objects.filter(repository=known.repository, sha=sha).exists():
        end_without_results(known.repository_id, sha)
    number, ended_at = str(at(body, "workflow_run", "id")), time_at(body, *ENDED_AT)
    attempt = int(at(body, "workflow_run", "run_attempt") or 1)
    for run in ended_attempts(known.repository_id, number, attempt, ended_at):
        close_run(run.pk, RunEnd.WORKFLOW, timezone.now())
    note_empty_attempt(known.repository_id, number, attempt)
    for action_id in wake(known.repository_id, number):
        start_action(action_id)


def on_push(action: str, body: Body) -> None:
    """Read policy and owners again when the default branch may have changed them."""
    known = _repository(body)
    if known is None:
        return
    follow_default_branch(known.repository, at(body, "repository", "default_branch"))
    is_default = at(body, "ref") == f"refs/heads/{known.repository.default_branch}"
    if is_default and not at(body, "deleted") and _may_touch(body, WATCHED):
        note_push(known.repository)


HANDLERS: dict[str, Handler] = {
    "installation": on_installation,
    "installation_target": on_installation_target,
    "installation_repositories": on_installation_repositories,
    "repository": on_repository,
    "pull_request": on_pull_request,
    "merge_group": on_merge_group,
    "push": on_push,
    "check_run": on_check_run,
    "check_suite": on_check_suite,
    "workflow_run": on_workflow_run,
}


def _installation(body: Body) -> Installation:
    account = str(at(body, "installation", "account", "login") or "")
    made, _ = Installation.objects.get_or_create(
        github_id=at(body, "installation", "id"), defaults={"account": account}
    )
    if account:
        made.account = account
    return made


def _repository(body: Body) -> GitHubRepository | None:
    """Return the repository of a delivery, found by number; a name may be another's by now."""
    return (
        GitHubRepository.objects.select_related("repository")
        .filter(github_id=at(body, "repository", "id"), removed_at__isnull=True)
        .first()
    )


def _newest(known: GitHubRepository, body: Body) -> PullRequest | None:
    """Return the pull request with what this delivery tells, unless a newer one told it."""
    told_at = time_at(body, "pull_request", "updated_at")
    number = at(body, "pull_request", "number")
    before = PullRequest.objects.filter(repository=known.repository, number=number).first()
    if before and before.updated_at > told_at:
        return None
    head = at(body, "pull_request", "head", "repo", "id")
    made, _ = PullRequest.objects.update_or_create(
        repository=known.repository,
        number=number,
        defaults={
            "head_sha": at(body, "pull_request", "head", "sha") or "",
            "base_sha": at(body, "pull_request", "base", "sha") or "",
            "base_branch": at(body, "pull_request", "base", "ref") or "",
            "head_repository_id": head,
            "is_fork": head != known.github_id,
            "is_open": at(body, "pull_request", "state") == "open",
            "updated_at": told_at,
        },
    )
    return made


def _may_touch(body: Body, paths: frozenset[str]) -> bool:
    """Whether a push may have changed one of these files; one that was forced tells too little."""
    commits = at(body, "commits") or ()
    touched = {
        path
        for commit in commits
        for kind in ("added", "modified", "removed")
        for path in commit.get(kind) or ()
    }
    return bool(at(body, "forced")) or not commits or bool(touched & paths)


def _judge_again(body: Body, sha: str) -> None:
    """Judge the newest run of a commit from what is stored, and send its check once more.

    The forge leaves a check run as it is when somebody asks for it again; its App answers.
    """
    known = _repository(body)
    if known is None:
        return
    runs = Run.objects.filter(repository_id=known.repository_id, sha=sha)
    for run in runs.order_by("-at", "-attempt", "-pk")[:1]:
        judge_run(run.pk)
    show_again(known.repository_id, sha, is_sent_anew=True)


def _take_press(body: Body) -> None:
    """Keep a press of a button; the verdict is the one that the check run was made for."""
    known = _repository(body)
    pressed = str(at(body, "requested_action", "identifier"))
    who = str(at(body, "sender", "login") or "")
    key = str(at(body, "check_run", "external_id") or "")
    if known is None or not who or pressed not in list(Button):
        return
    verdict = verdict_of_key(known.repository_id, key)
    if verdict is not None:
        start_action(ask(verdict.run, Button(pressed), who).pk)
