"""Check that a delivery comes from who knows the secret."""

import hashlib
import hmac

PREFIX = "sha256="


def is_signed(body: bytes, signature: str, secret: str) -> bool:
    """Whether the signature of the raw body fits the secret; compared in constant time."""
    wanted = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(signature.encode(), f"{PREFIX}{wanted}".encode())
