"""A repository on our own GitHub, with the App installed and its deliveries signed."""

import hashlib
import hmac
import json
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from tests.flows.suites import REPO
from tests.servers.github.world import (
    APP_ID,
    CLIENT_ID,
    CLIENT_SECRET,
    INSTALLATION,
    SLUG,
    WEBHOOK_SECRET,
    World,
    private_key,
)
from triage import pipeline
from triage.actions.acting import MOST_TRIES
from triage.models import (
    ForgeSettings,
    GitHubApp,
    Installation,
    Publication,
    RequestedAction,
)
from triage.publish.starting import start_due
from triage.sealing import seal
from triage.terms import ActionState, PublicationState

PULL = 7
WORKFLOW = 555
HOOK = "/webhooks/github/"


def set_up(world: World, *shas: str) -> None:
    """Enter the App and let it be installed in a repository with these commits."""
    made = world.add_repository(REPO, *shas)
    made.pulls[PULL] = {"head_sha": shas[0]}
    install(world)


def install(world: World) -> None:
    """Enter the App and let it be installed in every repository."""
    GitHubApp.objects.create(
        app_id=APP_ID,
        slug=SLUG,
        client_id=CLIENT_ID,
        api_url=world.base,
        html_url=world.web,
        sealed_private_key=seal(private_key()),
        sealed_webhook_secret=seal(WEBHOOK_SECRET),
        sealed_client_secret=seal(CLIENT_SECRET),
    )
    told = [{"id": each.id, "full_name": each.full_name} for each in world.repositories.values()]
    assert deliver("installation", {"action": "created", "repositories": told}) == 202


def deliver(
    event: str, body: Mapping[str, Any], delivery: str = "", secret: str = WEBHOOK_SECRET
) -> int:
    """Deliver an event of the installation; return the status of the answer."""
    whole = {"installation": {"id": INSTALLATION, "account": {"login": "acme"}}, **body}
    raw = json.dumps(whole).encode()
    signature = hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()
    headers = {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery or str(uuid.uuid4()),
        "X-Hub-Signature-256": f"sha256={signature}",
    }
    answer = Client().post(HOOK, raw, content_type="application/json", headers=headers)
    return answer.status_code


def repository(world: World) -> dict[str, Any]:
    """Return the repository as deliveries name it."""
    return {"id": world.repositories[REPO].id, "full_name": REPO}


def press(world: World, button: str, who: str = "octo", check: Any = None) -> int:
    """Deliver the press of a button on the newest check run."""
    on = check or checks(world)[-1]
    body = {
        "action": "requested_action",
        "repository": repository(world),
        "check_run": {"id": on["id"], "external_id": on["external_id"], "head_sha": on["head_sha"]},
        "requested_action": {"identifier": button},
        "sender": {"login": who},
    }
    return deliver("check_run", body)


def add_workflow_run(world: World, sha: str, number: int = WORKFLOW) -> dict[str, Any]:
    """Let a workflow run of a commit take place; it is not completed yet."""
    made = {"id": number, "head_sha": sha, "status": "in_progress", "conclusion": None}
    made["run_attempt"] = 1
    world.repositories[REPO].workflow_runs[number] = made
    return made


def end_workflow_run(world: World, number: int = WORKFLOW, **told: Any) -> int:
    """Let a workflow run end, and deliver that it did."""
    run = world.repositories[REPO].workflow_runs[number]
    run |= {"status": "completed", "conclusion": "failure"}
    shown = {name: run[name] for name in ("id", "head_sha", "status", "run_attempt")}
    body = {"action": "completed", "repository": repository(world), "workflow_run": shown | told}
    return deliver("workflow_run", body)


def add_artifact(world: World, name: str, body: bytes, **told: Any) -> dict[str, Any]:
    """Let the workflow run leave an artifact behind."""
    number = next(world.numbers)
    made = {"id": number, "run": WORKFLOW, "name": name, "body": body, "expired": False}
    made["size_in_bytes"] = len(body)
    world.repositories[REPO].artifacts[number] = made | told
    return made


def pull_request(world: World, sha: str, action: str = "synchronize", **told: Any) -> int:
    """Deliver the state of the pull request."""
    made = world.repositories[REPO]
    head = {"sha": sha, "repo": {"id": made.id}}
    pull = {"number": PULL, "state": "open", "updated_at": timezone.now().isoformat(), "head": head}
    body = {"action": action, "repository": {"id": made.id}, "pull_request": pull | told}
    return deliver("pull_request", body)


def publish_all() -> None:
    """Let every publication take its turns, as if the time between them had passed."""
    for _ in range(200):
        waiting = Publication.objects.filter(state=PublicationState.WAITING)
        if not waiting.exists():
            return
        past = timezone.now() - timedelta(minutes=1)
        waiting.update(next_try_at=past, leased_until=None)
        Installation.objects.update(next_write_at=past)
        ForgeSettings.objects.update(next_write_at=past)
        start_due()
    raise AssertionError("publications never came to an end")


def act_all() -> None:
    """Let everything that was asked for and failed be tried again, and publish what is new."""
    for _ in range(MOST_TRIES):
        failed = RequestedAction.objects.filter(state=ActionState.WAITING, attempts__gt=0)
        if not failed.exists():
            break
        failed.update(next_try_at=timezone.now() - timedelta(minutes=1))
        pipeline.act_due()
    publish_all()


def checks(world: World) -> list[dict[str, Any]]:
    """Return the check runs of the repository, the oldest first."""
    return sorted(world.repositories[REPO].checks.values(), key=lambda check: check["id"])


def comments(world: World) -> list[str]:
    """Return the comments on the pull request."""
    return [each["body"] for each in world.repositories[REPO].comments.values()]
