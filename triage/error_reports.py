"""Errors sent to Sentry where a DSN is set: without people, without contents, without secrets."""

from typing import TYPE_CHECKING, Any

from django.core.exceptions import ImproperlyConfigured

from triage.logs import context, mask
from triage.version import VERSION

if TYPE_CHECKING:
    from sentry_sdk.types import Event, Hint

MISSING = (
    "tiebreak.E052 SENTRY_DSN is set, and the package sentry-sdk is not installed. "
    "Install the extra, tiebreak[sentry], or unset SENTRY_DSN."
)


def start_reporting(dsn: str) -> None:
    """Send errors of this process from now on; raise ``ImproperlyConfigured`` without the extra."""
    try:
        import sentry_sdk
    except ImportError:
        raise ImproperlyConfigured(MISSING) from None
    sentry_sdk.init(
        dsn,
        release=VERSION,
        send_default_pii=False,
        # What people's models answered stands in request bodies and local variables.
        max_request_body_size="never",
        include_local_variables=False,
        before_send=without_secrets,
    )


def without_secrets(event: "Event", hint: "Hint") -> "Event":
    """Mask every text of an event, and name what the work belonged to."""
    masked: Event = _masked(event)
    masked["tags"] = {**masked.get("tags", {}), **context()}
    return masked


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _masked(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(each) for each in value]
    return value
