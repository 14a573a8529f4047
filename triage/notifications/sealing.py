"""Read what a channel keeps secret; one that cannot be read fails its messages for good."""

from triage.errors import UnreadableSecretError
from triage.notifications.failures import PermanentFailure
from triage.sealing import unseal as unseal_any


def unseal(sealed: str) -> str:
    """Return what was sealed; raise ``PermanentFailure`` when no key fits any more."""
    try:
        return unseal_any(sealed)
    except UnreadableSecretError:
        raise PermanentFailure(
            "the channel's secrets cannot be read, because FIELD_KEYS or SECRET_KEY has changed "
            "since it was added; put the old key back, or remove the channel and add it again"
        ) from None
