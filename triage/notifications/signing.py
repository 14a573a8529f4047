"""Sign what a generic webhook is sent, so that its receiver can tell who sent it.

The scheme is the one of https://www.standardwebhooks.com/, for which there are libraries.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    """Return a fresh signing secret in the form that verifying libraries take."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signed_headers(
    secret: str, message_id: str, timestamp_s: int, body: bytes
) -> Mapping[str, str]:
    """Return the headers that let a receiver check origin, age and identity of a message."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    content = f"{message_id}.{timestamp_s}.".encode() + body
    signature = base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": f"v1,{signature}",
    }
