"""What the fake GitHub does for an App that looks at itself: set-up, installations, its hook."""

import secrets
import time
from collections.abc import Callable
from typing import Any

from tests.servers.github.operations import Answer, Request
from tests.servers.github.world import (
    APP_ID,
    CLIENT_ID,
    CLIENT_SECRET,
    INSTALLATION,
    SLUG,
    WEBHOOK_SECRET,
    RefusalError,
    World,
    now,
    private_key,
)

RATE_LIMIT = 5_000


def begin_manifest(world: World, manifest: dict[str, Any]) -> str:
    """Keep a manifest that a person confirmed; return the code to send the browser back with."""
    code = secrets.token_hex(20)
    world.manifests[code] = manifest
    return code


def convert_manifest(request: Request) -> Answer:
    """Make the App out of a manifest, once."""
    told = request.world.manifests.pop(request.parameters["code"], None)
    if told is None:
        raise RefusalError(404, "Not Found")
    world = request.world
    world.permissions = dict(told["default_permissions"])
    world.events = list(told["default_events"])
    return 201, world.example("integration") | {
        "id": APP_ID,
        "slug": SLUG,
        "name": told["name"],
        "html_url": f"{world.web}/apps/{SLUG}",
        "permissions": world.permissions,
        "events": world.events,
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "webhook_secret": WEBHOOK_SECRET,
        "pem": private_key(),
    }


def list_installations(request: Request) -> Answer:
    """Return where the App is installed."""
    request.as_app()
    world = request.world
    if not world.repositories:
        return 200, []
    return 200, [installation(world)]


def installation(world: World) -> dict[str, Any]:
    """Return the installation as GitHub shows it."""
    made = world.example("installation")
    return made | {
        "id": INSTALLATION,
        # The description wants an account to be a person and an enterprise at once.
        "account": made["account"]
        | {"login": "acme", "name": "acme", "slug": "acme"}
        | {"created_at": now(), "updated_at": now()},
        "app_id": APP_ID,
        "app_slug": SLUG,
        "html_url": f"{world.web}/settings/installations/{INSTALLATION}",
        "permissions": world.granted,
        "events": world.events,
        "suspended_at": now() if world.is_suspended else None,
        "suspended_by": None,
    }


def list_repositories(request: Request) -> Answer:
    """Return the repositories that a token reaches."""
    known = request.world.tokens.get(request.token)
    if known is None:
        raise RefusalError(401, "Bad credentials")
    found = [
        each for each in request.world.repositories.values() if each.id in known["repositories"]
    ]
    shown = [request.world.repository(each) for each in request.page(found)]
    return 200, {"total_count": len(found), "repositories": shown}


def get_repository(request: Request) -> Answer:
    """Return a repository."""
    return 200, request.world.repository(request.repository("metadata:read"))


def get_branch(request: Request) -> Answer:
    """Return a branch with its head."""
    repository = request.repository("contents:read")
    name = request.parameters["branch"]
    if name != repository.default_branch:
        raise RefusalError(404, "Branch not found")
    made = request.world.example("branch")
    made["commit"] = made["commit"] | {"sha": repository.head}
    return 200, made | {"name": name}


def get_rate_limit(request: Request) -> Answer:
    """Return what is left of the hour."""
    made = request.world.example("rate")
    core = {
        "limit": RATE_LIMIT,
        "used": 12,
        "remaining": RATE_LIMIT - 12,
        "reset": int(time.time()) + 900,
    }
    made["resources"]["core"] = core
    return 200, made | {"rate": core}


def list_deliveries(request: Request) -> Answer:
    """Return the deliveries of the App's hook, the newest first; the page is told by a cursor."""
    request.as_app()
    size, cursor = int(request.query.get("per_page", 30)), request.query.get("cursor", "")
    newest_first = sorted(request.world.deliveries.values(), key=lambda each: -each["id"])
    later = [each for each in newest_first if not cursor or each["id"] < int(cursor)]
    if len(later) > size:
        following = f"{request.world.base}/app/hook/deliveries?cursor={later[size - 1]['id']}"
        request.headers["Link"] = f'<{following}>; rel="next"'
    return 200, later[:size]


def redeliver(request: Request) -> Answer:
    """Deliver once more, with the outcome that the test has chosen."""
    request.as_app()
    found = request.world.deliveries.get(int(request.parameters["delivery_id"]))
    if found is None:
        raise RefusalError(422, "Delivery not found")
    request.world.redelivered.append(found["guid"])
    status = request.world.redelivery_status
    request.world.add_delivery(found["guid"], found["event"], status, is_redelivery=True)
    return 202, {}


OPERATIONS: dict[str, Callable[[Request], Answer]] = {
    "apps/create-from-manifest": convert_manifest,
    "apps/list-installations": list_installations,
    "apps/list-repos-accessible-to-installation": list_repositories,
    "apps/list-webhook-deliveries": list_deliveries,
    "apps/redeliver-webhook-delivery": redeliver,
    "repos/get": get_repository,
    "repos/get-branch": get_branch,
    "rate-limit/get": get_rate_limit,
}
