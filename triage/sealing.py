"""Encrypt what must stay secret in the database, with keys that can be changed.

The first key of ``FIELD_KEYS`` encrypts and all of them decrypt. What ``SECRET_KEY`` encrypted
before there were any stays readable, so that a key can be introduced and rotated to at any time.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

from triage.errors import UnreadableSecretError

# The name that keys are derived under: changing it would make every stored secret unreadable.
PURPOSE = "triage.notifications.sealing"


def seal(text: str) -> str:
    """Return a text that only this installation can read again."""
    return _keys().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """Return what was sealed; raise ``UnreadableSecretError`` when no key fits."""
    try:
        return _keys().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise UnreadableSecretError(
            "a stored secret cannot be read: none of FIELD_KEYS decrypts it, nor does SECRET_KEY; "
            "put the key that it was stored under back, or enter the secret again"
        ) from None


def reseal(sealed: str) -> str:
    """Return the same secret under the first key; unchanged where that key holds it already."""
    first, *_ = _key_list()
    try:
        first.decrypt(sealed.encode())
    except InvalidToken:
        return seal(unseal(sealed))
    return sealed


def new_key() -> str:
    """Return a fresh key for ``FIELD_KEYS``."""
    return Fernet.generate_key().decode()


def _keys() -> MultiFernet:
    return MultiFernet(_key_list())


def _key_list() -> list[Fernet]:
    derived = [_derived(each) for each in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    return [*(Fernet(each) for each in settings.FIELD_KEYS), *derived]


def _derived(secret: str | bytes) -> Fernet:
    digest = salted_hmac(PURPOSE, "", secret=secret, algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(digest))
