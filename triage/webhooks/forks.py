"""Reports of forks: their CI has no token, so the App fetches the artifacts of its workflow runs.

What a fork reports is judged and shown, and counts for nothing: no history, no budget, no base.
"""

from dataclasses import dataclass, field

from triage.errors import TiebreakError
from triage.models import GitHubRepository, PullRequest, Upload
from triage.parse.limits import DEFAULT_LIMITS
from triage.parse.upload import UploadedFile
from triage.pipeline import send_for_after_commit
from triage.publish.connections import connection_of
from triage.publish.forge import GoneForgeError, RefusedForgeError
from triage.publish.github.workflows import Artifact, GitHubWorkflows
from triage.publish.outbox import note_left_out
from triage.upload.acceptance import accept
from triage.upload.submission import TEXT_LENGTH, Submission
from triage.webhooks.fields import Body, at

PREFIX = "tiebreak"
MOST_ARTIFACTS = 50


@dataclass(slots=True)
class ForkReports:
    """What a fork's workflow run left behind, and what of it was left out, for people."""

    reports: list[tuple[Artifact, bytes]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def fetch(action: str, body: Body) -> ForkReports:
    """Return the reports of a fork's workflow run that ended, each of which is fetched once.

    It asks GitHub and writes nothing, so it is not called within a transaction. Temporary errors
    of the forge are raised.
    """
    known = _repository_of_fork(action, body)
    connection = connection_of(known.repository_id) if known else None
    if known is None or connection is None:
        return ForkReports()
    return connection.renewing(lambda: _fetch_all(known, connection.workflows(), body))


def _fetch_all(known: GitHubRepository, workflows: GitHubWorkflows, body: Body) -> ForkReports:
    found = ForkReports()
    try:
        listed = workflows.artifacts(int(at(body, "workflow_run", "id")))
    except (GoneForgeError, RefusedForgeError) as error:
        found.left_out.append(str(error))
        return found
    _fetch_each(found, workflows, _not_taken(known, listed))
    return found


def take(found: ForkReports, body: Body) -> None:
    """Accept what was fetched as uploads that nobody vouches for; tell what was left out."""
    known = _known(body)
    if known is None:
        return
    for artifact, zipped in found.reports:
        try:
            accepted = accept(_submission(known, body, artifact, zipped))
        except TiebreakError as error:
            found.left_out.append(f"artifact {artifact.name}: {error.message}")
        else:
            send_for_after_commit(accepted.upload.pk)
    if found.reports or found.left_out:
        sha = str(at(body, "workflow_run", "head_sha"))
        note_left_out(known.repository_id, sha, found.left_out)


def _repository_of_fork(action: str, body: Body) -> GitHubRepository | None:
    head = at(body, "workflow_run", "head_repository", "id")
    is_fork = head is not None and head != at(body, "repository", "id")
    return _known(body) if action == "completed" and is_fork else None


def _known(body: Body) -> GitHubRepository | None:
    found = GitHubRepository.objects.select_related("repository").filter(
        github_id=at(body, "repository", "id"), removed_at__isnull=True
    )
    return found.first()


def _not_taken(known: GitHubRepository, listed: list[Artifact]) -> list[Artifact]:
    named = [each for each in listed if each.name.startswith(PREFIX) and not each.is_expired]
    taken = Upload.objects.filter(
        repository=known.repository, idempotency_key__in=[_key(each) for each in named]
    )
    keys = set(taken.values_list("idempotency_key", flat=True))
    return [each for each in named if _key(each) not in keys]


def _fetch_each(found: ForkReports, workflows: GitHubWorkflows, wanted: list[Artifact]) -> None:
    room = DEFAULT_LIMITS.compressed_bytes
    for artifact in wanted[:MOST_ARTIFACTS]:
        try:
            zipped = _fetch_one(workflows, artifact, room)
        except (GoneForgeError, RefusedForgeError) as error:
            found.left_out.append(f"artifact {artifact.name}: {error}")
        else:
            room -= len(zipped)
            found.reports.append((artifact, zipped))
    if len(wanted) > MOST_ARTIFACTS:
        found.left_out.append(f"{len(wanted) - MOST_ARTIFACTS} artifacts beyond {MOST_ARTIFACTS}")


def _fetch_one(workflows: GitHubWorkflows, artifact: Artifact, room: int) -> bytes:
    if artifact.size_bytes > room:
        raise RefusedForgeError(
            f"it holds {artifact.size_bytes} bytes, {room} of "
            f"{DEFAULT_LIMITS.compressed_bytes} bytes are left for this run"
        )
    return workflows.download(artifact.id, room)


def _submission(
    known: GitHubRepository, body: Body, artifact: Artifact, zipped: bytes
) -> Submission:
    sha = str(at(body, "workflow_run", "head_sha"))
    pull_request = (
        PullRequest.objects.filter(repository=known.repository, head_sha=sha)
        .order_by("-updated_at")
        .first()
    )
    return Submission(
        repo=known.repository.full_name,
        sha=sha,
        files=(UploadedFile("artifact.zip", zipped),),
        # Its branch is of the fork, and may be called like the default branch of this repository.
        pr=pull_request.number if pull_request else None,
        base_sha=pull_request.base_sha if pull_request else "",
        run_id=str(at(body, "workflow_run", "id")),
        attempt=int(at(body, "workflow_run", "run_attempt") or 1),
        job=_printable(artifact.name),
        idempotency_key=_key(artifact),
        is_trusted=False,
    )


def _key(artifact: Artifact) -> str:
    return f"artifact-{artifact.id}"


def _printable(name: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in name)[:TEXT_LENGTH]
