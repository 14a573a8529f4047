"""What the fake GitHub does for each operation that the product uses."""

import base64
import copy
import hashlib
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from tests.servers.github.world import (
    APP_ID,
    INSTALLATION,
    SLUG,
    RefusalError,
    Repository,
    World,
    check_app_token,
    now,
)

Answer = tuple[int, Any]
MOST_COMMENT_CHARACTERS = 65_536
TOKEN_S = 3_600
# Where the zips of artifacts are: at GitHub on another host, with a signed address.
BLOBS = "/_blobs/"
# What the older field, which knows four levels, says of the newer ones and of one of their own.
COARSE = {"triage": "read", "maintain": "write", "labeller": "write"}
LEVELS = {"none": 0, "read": 1, "write": 2, "admin": 3}


class Request:
    """One request with everything that an operation may ask of it."""

    def __init__(
        self,
        world: World,
        parameters: Mapping[str, str],
        query: Mapping[str, str],
        body: Any,
        authorization: str,
        path: str,
    ) -> None:
        self.world, self.parameters, self.query, self.body = world, parameters, query, body or {}
        self.path = path
        self.token = authorization.split(" ", 1)[-1]
        # What the answer carries beside its body.
        self.headers: dict[str, str] = {}

    def as_app(self) -> None:
        """Let only the App itself pass."""
        check_app_token(self.token)

    def repository(self, *permissions: str) -> Repository:
        """Return the repository for a token of the installation that has the permissions."""
        known = self.world.tokens.get(self.token)
        if known is None or known["until"] < time.time():
            raise RefusalError(401, "Bad credentials")
        if self.world.is_suspended:
            raise RefusalError(403, "This installation has been suspended")
        name = f"{self.parameters['owner']}/{self.parameters['repo']}".lower()
        found = self.world.repositories.get(name)
        if found is None or found.id not in known["repositories"]:
            raise RefusalError(404, "Not Found")
        for wanted in permissions:
            what, level = wanted.split(":")
            if LEVELS[known["permissions"].get(what, "none")] < LEVELS[level]:
                raise RefusalError(403, "Resource not accessible by integration")
        return found

    @property
    def login(self) -> str:
        """Who asks: the App, or the account that a token belongs to."""
        return str(self.world.tokens[self.token].get("login", f"{SLUG}[bot]"))

    def page(self, rows: list[Any]) -> list[Any]:
        """Return the page of a list that was asked for; a link leads to the next one."""
        size, number = int(self.query.get("per_page", 30)), int(self.query.get("page", 1))
        if len(rows) > number * size:
            query = urlencode({**self.query, "page": number + 1})
            self.headers["Link"] = f'<{self.world.base}{self.path}?{query}>; rel="next"'
        return rows[(number - 1) * size : number * size]


def make_token(request: Request) -> Answer:
    """Make a token of the installation, for some repositories and permissions."""
    request.as_app()
    world, wanted = request.world, request.body
    if int(request.parameters["installation_id"]) != INSTALLATION:
        raise RefusalError(404, "Not Found")
    if world.is_suspended:
        raise RefusalError(403, "This installation has been suspended")
    known = {each.id for each in world.repositories.values()}
    asked = set(wanted.get("repository_ids") or known)
    if not asked <= known:
        raise RefusalError(422, "There is at least one repository that does not exist")
    permissions = {"metadata": "read"} | (wanted.get("permissions") or world.granted)
    for name, level in permissions.items():
        if LEVELS[world.granted.get(name, "none")] < LEVELS[level]:
            told = "The permissions requested are not granted to this installation."
            raise RefusalError(422, told)
    # The newer stateless tokens are long; nobody may count on forty characters.
    token = "ghs_" + secrets.token_urlsafe(180)
    until = time.time() + TOKEN_S
    world.tokens[token] = {"repositories": asked, "permissions": permissions, "until": until}
    return 201, {
        "token": token,
        "expires_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(until)),
        "permissions": permissions,
        "repository_selection": "selected",
    }


def create_check(request: Request) -> Answer:
    """Make a check run."""
    repository, told = request.repository("checks:write"), request.body
    if told["head_sha"] not in repository.commits:
        raise RefusalError(422, f"No commit found for SHA: {told['head_sha']}")
    made = {
        "id": next(request.world.numbers), "app": APP_ID, "annotations": [], "status": "queued",
        "conclusion": None, "started_at": now(), "completed_at": None,
        "name": told["name"], "head_sha": told["head_sha"],
    }  # fmt: skip
    _change(made, told)
    repository.checks[made["id"]] = made
    return 201, request.world.check(repository, made)


def update_check(request: Request) -> Answer:
    """Change a check run; annotations are appended."""
    repository = request.repository("checks:write")
    found = _check(request, repository)
    changed = copy.deepcopy(found)
    _change(changed, request.body)
    repository.checks[changed["id"]] = changed
    return 200, request.world.check(repository, changed)


def get_check(request: Request) -> Answer:
    """Return a check run."""
    repository = request.repository("checks:read")
    return 200, request.world.check(repository, _check(request, repository))


def list_checks(request: Request) -> Answer:
    """Return the check runs of a commit, the newest first."""
    repository = request.repository("checks:read")
    found = [
        check
        for check in sorted(repository.checks.values(), key=lambda check: -check["id"])
        if check["head_sha"] == request.parameters["ref"]
        and request.query.get("check_name") in (None, check["name"])
    ]
    if request.query.get("filter", "latest") == "latest":
        found = list({check["name"]: check for check in reversed(found)}.values())
    shown = [request.world.check(repository, check) for check in request.page(found)]
    return 200, {"total_count": len(found), "check_runs": shown}


def list_annotations(request: Request) -> Answer:
    """Return the annotations of a check run, in the order in which they were sent."""
    repository = request.repository("checks:read")
    found = request.page(_check(request, repository)["annotations"])
    unset = {"start_column": None, "end_column": None, "title": None, "raw_details": None}
    blob = f"{request.world.web}/{repository.full_name}/blob"
    return 200, [unset | each | {"blob_href": f"{blob}/{each['path']}"} for each in found]


def create_comment(request: Request) -> Answer:
    """Comment on a pull request."""
    repository = request.repository("pull_requests:write")
    _refuse_long(request.body["body"])
    number = _pull(request, repository)
    made = {
        "id": next(request.world.numbers), "issue": number, "body": request.body["body"],
        "author": request.login, "created_at": now(), "updated_at": now(),
    }  # fmt: skip
    repository.comments[made["id"]] = made
    return 201, request.world.comment(repository, made)


def list_comments(request: Request) -> Answer:
    """Return the comments on a pull request, the oldest first."""
    repository = request.repository("pull_requests:read")
    number = _pull(request, repository)
    found = [each for each in repository.comments.values() if each["issue"] == number]
    return 200, [request.world.comment(repository, each) for each in request.page(found)]


def get_comment(request: Request) -> Answer:
    """Return a comment."""
    repository = request.repository("pull_requests:read")
    return 200, request.world.comment(repository, _comment(request, repository))


def update_comment(request: Request) -> Answer:
    """Edit a comment."""
    repository = request.repository("pull_requests:write")
    _refuse_long(request.body["body"])
    found = _comment(request, repository)
    found |= {"body": request.body["body"], "updated_at": now()}
    return 200, request.world.comment(repository, found)


def get_content(request: Request) -> Answer:
    """Return a file."""
    repository = request.repository("contents:read")
    path = request.parameters["path"]
    if path not in repository.files:
        raise RefusalError(404, "Not Found")
    raw = repository.files[path].encode()
    return 200, request.world.example("file") | {
        "path": path,
        "name": path.rsplit("/", 1)[-1],
        "size": len(raw),
        "sha": hashlib.sha1(b"blob %d\0" % len(raw) + raw).hexdigest(),
        "content": base64.encodebytes(raw).decode(),
        "encoding": "base64",
    }


def get_commit(request: Request) -> Answer:
    """Return a commit; that of a pull request's merge names what was merged, as GitHub words it."""
    repository = request.repository("contents:read")
    sha = request.parameters["ref"]
    if sha not in repository.commits | set(repository.merges):
        raise RefusalError(422, f"No commit found for SHA: {sha}")
    made = request.world.example("commit")
    parents = repository.merges.get(sha, ())
    message = f"Merge {parents[1]} into {parents[0]}" if parents else "Change something"
    url = made["url"]
    return 200, made | {
        "sha": sha,
        "commit": made["commit"] | {"message": message},
        "parents": [{"sha": each, "url": url, "html_url": url} for each in parents],
    }


def get_permission(request: Request) -> Answer:
    """Return what a person may do in a repository."""
    repository = request.repository("metadata:read")
    login = request.parameters["username"]
    level = repository.people.get(login, "none")
    if level == "none" and repository.is_public:
        level = "read"
    user = request.world.user(login) | {"role_name": level}
    return 200, {"permission": COARSE.get(level, level), "role_name": level, "user": user}


def check_collaborator(request: Request) -> Answer:
    """Answer 204 for who has a part in a repository, whatever everybody may do there."""
    repository = request.repository("metadata:read")
    if repository.people.get(request.parameters["username"], "none") == "none":
        raise RefusalError(404, "Not Found")
    return 204, None


def get_workflow_run(request: Request) -> Answer:
    """Return a workflow run."""
    repository = request.repository("actions:read")
    return 200, request.world.workflow_run(repository, _workflow_run(request, repository))


def list_artifacts(request: Request) -> Answer:
    """Return the artifacts of a workflow run, those of all its attempts."""
    repository = request.repository("actions:read")
    run = _workflow_run(request, repository)
    found = [each for each in repository.artifacts.values() if each["run"] == run["id"]]
    shown = [request.world.artifact(repository, each) for each in request.page(found)]
    return 200, {"total_count": len(found), "artifacts": shown}


def download_artifact(request: Request) -> Answer:
    """Send to the place from where the zip comes, without a token."""
    repository = request.repository("actions:read")
    found = repository.artifacts.get(int(request.parameters["artifact_id"]))
    if found is None:
        raise RefusalError(404, "Not Found")
    raise RefusalError(302, "", location=f"{request.world.base}{BLOBS}{found['id']}")


def rerun_failed(request: Request) -> Answer:
    """Run the failed jobs of a workflow run again."""
    repository = request.repository("actions:write")
    found = _workflow_run(request, repository)
    if found["status"] != "completed":
        raise RefusalError(403, "This workflow is already running")
    found |= {"status": "queued", "conclusion": None, "run_attempt": found["run_attempt"] + 1}
    return 201, {}


def get_app(request: Request) -> Answer:
    """Return the App."""
    request.as_app()
    return 200, request.world.app()


OPERATIONS: dict[str, Callable[[Request], Answer]] = {
    "apps/create-installation-access-token": make_token,
    "apps/get-authenticated": get_app,
    "checks/create": create_check,
    "checks/update": update_check,
    "checks/get": get_check,
    "checks/list-for-ref": list_checks,
    "checks/list-annotations": list_annotations,
    "issues/create-comment": create_comment,
    "issues/list-comments": list_comments,
    "issues/get-comment": get_comment,
    "issues/update-comment": update_comment,
    "repos/check-collaborator": check_collaborator,
    "repos/get-commit": get_commit,
    "repos/get-content": get_content,
    "repos/get-collaborator-permission-level": get_permission,
    "actions/get-workflow-run": get_workflow_run,
    "actions/list-workflow-run-artifacts": list_artifacts,
    "actions/download-artifact": download_artifact,
    "actions/re-run-workflow-failed-jobs": rerun_failed,
}


def _change(check: dict[str, Any], told: Mapping[str, Any]) -> None:
    conclusion = told.get("conclusion")
    if conclusion == "stale":
        raise RefusalError(422, 'Invalid request. "stale" can only be set by GitHub.')
    if told.get("status") == "completed" and not conclusion and not check["conclusion"]:
        raise RefusalError(422, "Invalid request. missing_field: conclusion")
    if check["app"] != APP_ID:
        app = check["app"]
        raise RefusalError(
            403, f"Invalid app_id `{app}` - check run can only be modified by its App."
        )
    for name in ("external_id", "status", "conclusion", "actions", "details_url"):
        if name in told:
            check[name] = told[name]
    if conclusion:
        check |= {"status": "completed", "completed_at": now()}
    elif told.get("status") in ("queued", "in_progress"):
        check |= {"conclusion": None, "completed_at": None}
    output = dict(told.get("output") or {})
    check["annotations"] = [*check["annotations"], *output.pop("annotations", [])]
    check["output"] = {**(check.get("output") or {}), **output}


def _check(request: Request, repository: Repository) -> dict[str, Any]:
    found = repository.checks.get(int(request.parameters["check_run_id"]))
    if found is None:
        raise RefusalError(404, "Not Found")
    return found


def _workflow_run(request: Request, repository: Repository) -> dict[str, Any]:
    found = repository.workflow_runs.get(int(request.parameters["run_id"]))
    if found is None:
        raise RefusalError(404, "Not Found")
    return found


def _comment(request: Request, repository: Repository) -> dict[str, Any]:
    found = repository.comments.get(int(request.parameters["comment_id"]))
    if found is None:
        raise RefusalError(404, "Not Found")
    return found


def _pull(request: Request, repository: Repository) -> int:
    number = int(request.parameters["issue_number"])
    if number not in repository.pulls:
        raise RefusalError(404, "Not Found")
    return number


def _refuse_long(body: str) -> None:
    if len(body) > MOST_COMMENT_CHARACTERS:
        raise RefusalError(422, "Body is too long (maximum is 65536 characters)")
