"""Who asks: somebody with a project token, or a workflow that GitHub vouches for."""

from dataclasses import dataclass

from triage.errors import ForbiddenError
from triage.models import GitHubRepository, Repository, Token, WorkflowIdentity
from triage.publish.app import github_app
from triage.upload import tokens
from triage.upload.issuers import issuer_of
from triage.upload.rates import count_request
from triage.upload.submission import Submission
from triage.upload.tokens import UPLOAD_AND_READ
from triage.upload.workflow_runs import held_against
from triage.upload.workflow_tokens import Workflow, is_identity_token, read_workflow


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever was let in, and what for."""

    repository: Repository
    # For people: "token ci".
    name: str
    scopes: tuple[str, ...]
    # The project token, or the workflow; neither for what was held against a workflow before.
    token: Token | None = None
    workflow: Workflow | None = None

    @property
    def repository_id(self) -> int:
        """The one repository that the caller may do anything in."""
        return self.repository.pk


def authenticate(credential: str) -> Caller:
    """Return who sends a credential, the request counted.

    Raises ``UnauthorizedError`` for one that is not known or does not hold, ``ForbiddenError`` for
    a workflow that nobody allowed, ``RateLimitedError`` after too many requests.
    """
    if is_identity_token(credential):
        return _caller_of_workflow(read_workflow(credential))
    return caller_of_token(tokens.authenticate(credential))


def caller_of_token(token: Token) -> Caller:
    """Return the caller that has a project token."""
    return Caller(token.repository, f"token {token.name}", tuple(token.scopes), token)


def announced_by_workflow(repository: Repository) -> Caller:
    """Return the caller of an upload that was held against its workflow when it was announced."""
    return Caller(repository, "a workflow", UPLOAD_AND_READ)


def require_scope(caller: Caller, scope: str) -> None:
    """Raise ``ForbiddenError`` unless a caller may do this."""
    if scope not in caller.scopes:
        kind = "token" if caller.token else "identity of a workflow"
        raise ForbiddenError(
            f"the {kind} may {', '.join(caller.scopes)} and not {scope}; make a token with "
            f"'tiebreak create_token OWNER/NAME --scope {scope}'"
        )


def require_repository(caller: Caller, full_name: str) -> None:
    """Raise ``ForbiddenError`` unless a caller is of this repository."""
    names = {caller.repository.full_name}
    if caller.workflow:
        names.add(caller.workflow.repository)
    if full_name not in names:
        kind = "token" if caller.token else "workflow"
        raise ForbiddenError(
            f"the {kind} is for {caller.repository.full_name}, not for {full_name}; "
            "use a token of that repository"
        )


def own_submission(caller: Caller, submission: Submission) -> Submission:
    """Return a submission as far as its caller can vouch for it.

    Raises ``ForbiddenError`` where it is about another repository, or another run than the
    caller's.
    """
    if caller.workflow:
        submission = held_against(submission, caller.workflow, caller.repository)
    require_repository(caller, submission.repo)
    return submission


def _caller_of_workflow(workflow: Workflow) -> Caller:
    repository = _repository_of(workflow)
    if repository is None:
        raise ForbiddenError(
            f"workflows of {workflow.repository[:200] or 'this repository'} (number "
            f"{workflow.repository_id} at {workflow.iss}) may not upload here; allow them with "
            f"'tiebreak workflows OWNER/NAME allow {workflow.repository_id}'"
        )
    count_request(repository.pk, "workflows")
    name = f"workflow run {workflow.run_id}"
    return Caller(repository, name, UPLOAD_AND_READ, workflow=workflow)


def _repository_of(workflow: Workflow) -> Repository | None:
    identity = (
        WorkflowIdentity.objects.select_related("repository")
        .filter(issuer=workflow.iss, github_id=workflow.repository_id)
        .first()
    )
    if identity:
        return identity.repository
    known = (
        GitHubRepository.objects.select_related("repository")
        .filter(github_id=workflow.repository_id, removed_at__isnull=True)
        .first()
    )
    # Another GitHub counts its repositories from one, too.
    app = github_app() if known else None
    return known.repository if known and app and issuer_of(app.html_url) == workflow.iss else None
