"""Encrypt what a channel must keep secret, with a key that is derived from ``SECRET_KEY``."""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

from triage.notifications.failures import PermanentFailure

PURPOSE = "triage.notifications.sealing"


def seal(text: str) -> str:
    """Return a text that only this installation can read again."""
    return _keys().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """Return what was sealed; raise ``PermanentFailure`` when the key has changed since."""
    try:
        return _keys().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise PermanentFailure(
            "the channel's secrets cannot be read, because SECRET_KEY has changed since it was "
            "added; remove the channel and add it again"
        ) from None


def _keys() -> MultiFernet:
    return MultiFernet(
        [_key(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


def _key(secret: str | bytes) -> Fernet:
    digest = salted_hmac(PURPOSE, "", secret=secret, algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(digest))
