"""Send a message to a program: JSON, signed."""

import json
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from triage.models import Channel
from triage.notifications.answers import refuse_failure
from triage.notifications.message import Message
from triage.notifications.posting import post
from triage.notifications.sealing import unseal
from triage.notifications.signing import signed_headers
from triage.notifications.web_addresses import read_web_address

BUNDLE = "digest"


def send_webhook(channel: Channel, message: Message) -> str:
    """Post a message with the headers that its receiver checks it by."""
    body = json.dumps(webhook_body(message), cls=DjangoJSONEncoder, ensure_ascii=False).encode()
    now_s = int(timezone.now().timestamp())
    headers = signed_headers(unseal(channel.signing_secret), message.id, now_s, body)
    told = {"Content-Type": "application/json", "User-Agent": "tiebreak", **headers}
    answer = post(read_web_address(unseal(channel.target)), body, told)
    refuse_failure(answer)
    return answer.text


def webhook_body(message: Message) -> dict[str, Any]:
    """Return what is posted: the events in full, oldest first."""
    events = [
        {"event": each.event, "key": each.key, "at": each.at, **each.payload}
        for each in message.notifications
    ]
    return {
        "id": message.id,
        "type": events[0]["event"] if len(events) == 1 else BUNDLE,
        "repository": message.repository,
        "events": events,
    }
