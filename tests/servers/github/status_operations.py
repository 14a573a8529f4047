"""What the fake GitHub does for who comes with a token instead of the App: commit statuses."""

import time
from collections.abc import Callable

from tests.servers.github.operations import Answer, Request
from tests.servers.github.world import RefusalError, World, now

LOGIN = "tiebreak-machine"
TOKEN = "github_pat_0123456789"
RIGHTS = {"statuses": "write", "pull_requests": "write", "metadata": "read", "contents": "read"}
LONGEST_DESCRIPTION = 140
# What a person's own page has beyond what is shown beside a comment.
PROFILE = {
    "user_view_type": "public",
    **dict.fromkeys(("bio", "blog", "company", "email", "hireable", "location", "name")),
    **dict.fromkeys(("followers", "following", "public_gists", "public_repos"), 0),
    **dict.fromkeys(("created_at", "updated_at"), "2026-10-01T09:00:00Z"),
}


def add_token(world: World) -> None:
    """Let a token of a machine account reach every repository."""
    world.tokens[TOKEN] = {
        "repositories": {each.id for each in world.repositories.values()},
        "permissions": RIGHTS,
        "until": time.time() + 90 * 24 * 3_600,
        "login": LOGIN,
    }


def get_user(request: Request) -> Answer:
    """Return whom a token belongs to."""
    known = request.world.tokens.get(request.token)
    if known is None or "login" not in known:
        raise RefusalError(401, "Bad credentials")
    return 200, PROFILE | request.world.user(known["login"])


def create_status(request: Request) -> Answer:
    """Add a status to a commit; none is ever changed."""
    repository, told = request.repository("statuses:write"), request.body
    if request.parameters["sha"] not in repository.commits:
        raise RefusalError(422, f"No commit found for SHA: {request.parameters['sha']}")
    if len(told.get("description") or "") > LONGEST_DESCRIPTION:
        raise RefusalError(422, "Validation Failed: description is too long (maximum is 140)")
    made = request.world.example("status") | {
        "id": next(request.world.numbers),
        "state": told["state"],
        "description": told.get("description"),
        "target_url": told.get("target_url"),
        "context": told.get("context", "default"),
        "created_at": now(),
        "updated_at": now(),
    }
    repository.statuses.insert(0, {**made, "sha": request.parameters["sha"]})
    return 201, made


def list_statuses(request: Request) -> Answer:
    """Return the statuses of a commit, the newest first."""
    repository = request.repository("statuses:read")
    found = [each for each in repository.statuses if each["sha"] == request.parameters["ref"]]
    shown = [{name: each[name] for name in each if name != "sha"} for each in found]
    return 200, request.page(shown)


OPERATIONS: dict[str, Callable[[Request], Answer]] = {
    "users/get-authenticated": get_user,
    "repos/create-commit-status": create_status,
    "repos/list-commit-statuses-for-ref": list_statuses,
}
