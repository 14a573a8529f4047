"""Take a delivery: check who signed it, keep it, answer at once."""

import json
import logging
from typing import Any, NoReturn

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from triage.errors import UnreadableSecretError
from triage.models import WebhookDelivery
from triage.parse.storable import storable
from triage.publish.app import App, github_app
from triage.webhooks.signatures import is_signed
from triage.webhooks.starting import start_after_commit

logger = logging.getLogger(__name__)

# GitHub sends no more.
MOST_BYTES = 25 * 1024 * 1024
MOST_ID_CHARACTERS = 64
CONTENT_TYPE = "application/json"
SIGNATURE = "X-Hub-Signature-256"


@csrf_exempt
def github(request: HttpRequest) -> HttpResponse:
    """Keep a delivery of the App and answer 202; a worker does the rest.

    What is not signed by GitHub is refused before anything of it is read, and nothing that is
    refused is kept.
    """
    app = github_app()
    if request.method != "POST":
        return _refuse(405, f"deliveries come by POST, not {request.method}", Allow="POST")
    if app is None:
        return _refuse(404, "no GitHub App is set up here; see /setup/github/")
    if request.content_type != CONTENT_TYPE:
        return _refuse(
            415,
            f"a delivery is {CONTENT_TYPE}, got {(request.content_type or 'nothing')[:100]!r}; "
            "choose that content type for the App's webhook",
        )
    if int(request.headers.get("Content-Length") or 0) > MOST_BYTES:
        return _refuse(413, f"a delivery may hold {MOST_BYTES} bytes")
    return _refuse_forgery(request, app) or _keep(request)


def _refuse_forgery(request: HttpRequest, app: App) -> HttpResponse | None:
    try:
        secret = app.webhook_secret.read()
    except UnreadableSecretError as error:
        logger.exception("a delivery cannot be checked")
        return _refuse(error.status, "the App's webhook secret cannot be read; see tiebreak doctor")
    signature = request.headers.get(SIGNATURE, "")
    if is_signed(request.body, signature, secret):
        return None
    logger.warning("a delivery with a wrong signature was refused")
    if not signature:
        return _refuse(401, f"{SIGNATURE} is missing; give the App's webhook a secret")
    return _refuse(401, f"{SIGNATURE} does not fit the body; check the App's webhook secret")


def _keep(request: HttpRequest) -> HttpResponse:
    delivery_id = request.headers.get("X-GitHub-Delivery", "")
    event = request.headers.get("X-GitHub-Event", "")
    if not event:
        return _refuse(400, "X-GitHub-Event is missing")
    if not 0 < len(delivery_id) <= MOST_ID_CHARACTERS:
        return _refuse(
            400,
            f"X-GitHub-Delivery must hold 1 to {MOST_ID_CHARACTERS} characters, "
            f"got {len(delivery_id)}",
        )
    body = _json(request.body)
    if body is None:
        return _refuse(400, "the body is no JSON object")
    kept, is_new = WebhookDelivery.objects.get_or_create(
        delivery_id=delivery_id,
        defaults={"event": event[:64], "action": str(body.get("action") or "")[:64], "body": body},
    )
    if (kept.event, kept.body) != (event[:64], body):
        return _refuse(409, f"delivery {delivery_id} came in before, and said something else")
    if is_new or kept.processed_at is None:
        start_after_commit(kept.pk)
    return JsonResponse({"delivery": delivery_id, "is_new": is_new}, status=202)


def _json(body: bytes) -> dict[str, Any] | None:
    """Return a JSON object as every database can hold it; ``None`` if it is none."""
    try:
        read = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return _storable(read) if isinstance(read, dict) else None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(name): _storable(each) for name, each in value.items()}
    return [_storable(each) for each in value] if isinstance(value, list) else value


def _refuse(status: int, message: str, **headers: str) -> HttpResponse:
    told = {"code": "webhook_refused", "message": message}
    return JsonResponse({"error": told}, status=status, headers=headers)
