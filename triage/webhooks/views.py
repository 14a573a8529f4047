"""Take a delivery: check who signed it, keep it, answer at once."""

import json
import logging
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from triage.errors import UnreadableSecretError
from triage.models import WebhookDelivery
from triage.publish.app import github_app
from triage.webhooks.signatures import is_signed
from triage.webhooks.starting import start_after_commit

logger = logging.getLogger(__name__)

# GitHub sends no more.
MOST_BYTES = 25 * 1024 * 1024
MOST_ID_CHARACTERS = 64


@csrf_exempt
@require_POST
def github(request: HttpRequest) -> HttpResponse:
    """Keep a delivery of the App and answer 202; a worker does the rest."""
    app = github_app()
    if app is None:
        return _refuse(404, "no GitHub App is set up here; see /setup/github/")
    if int(request.headers.get("Content-Length") or 0) > MOST_BYTES:
        return _refuse(413, f"a delivery may hold {MOST_BYTES} bytes")
    try:
        secret = app.webhook_secret.read()
    except UnreadableSecretError as error:
        logger.exception("a delivery cannot be checked")
        return _refuse(
            error.status, "the App's webhook secret cannot be read; see manage.py doctor"
        )
    signature = request.headers.get("X-Hub-Signature-256", "")
    if not is_signed(request.body, signature, secret):
        logger.warning("a delivery with a wrong signature was refused")
        return _refuse(401, "the signature does not fit; check the App's webhook secret")
    return _keep(request)


def _keep(request: HttpRequest) -> HttpResponse:
    delivery_id = request.headers.get("X-GitHub-Delivery", "")
    event = request.headers.get("X-GitHub-Event", "")
    body = _json(request.body)
    if body is None or not event or not 0 < len(delivery_id) <= MOST_ID_CHARACTERS:
        return _refuse(400, "a delivery needs an event, an id and a JSON object as its body")
    kept, is_new = WebhookDelivery.objects.get_or_create(
        delivery_id=delivery_id,
        defaults={"event": event[:64], "action": str(body.get("action") or "")[:64], "body": body},
    )
    if is_new or kept.processed_at is None:
        start_after_commit(kept.pk)
    return JsonResponse({"delivery": delivery_id, "is_new": is_new}, status=202)


def _json(body: bytes) -> dict[str, Any] | None:
    try:
        read = json.loads(body)
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def _refuse(status: int, message: str) -> HttpResponse:
    return JsonResponse({"error": {"code": "webhook_refused", "message": message}}, status=status)
