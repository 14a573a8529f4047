"""Tell from an answer whether a message was taken, and if not, whether to try again."""

from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from django.utils import timezone

from triage.notifications.failures import PermanentFailure, TemporaryFailure
from triage.notifications.posting import Answer

# Besides server errors: request timeout, too early, too many requests.
TEMPORARY_STATUSES = frozenset({408, 425, 429})
LOWEST_SERVER_ERROR = 500


def refuse_failure(answer: Answer) -> None:
    """Raise a ``DeliveryFailure`` unless the receiver took the message."""
    if 200 <= answer.status < 300:
        return
    if 300 <= answer.status < 400:
        raise PermanentFailure(
            f"answered {answer.status}, a redirect{_where(answer.location)}; redirects are not "
            "followed, use the final URL",
            response=answer.text,
        )
    if answer.status in TEMPORARY_STATUSES or answer.status >= LOWEST_SERVER_ERROR:
        raise TemporaryFailure(
            f"answered {answer.status}",
            response=answer.text,
            retry_after_s=_seconds(answer.retry_after),
        )
    raise PermanentFailure(f"answered {answer.status}", response=answer.text)


def _where(location: str) -> str:
    """Name the host that a redirect leads to; the rest of its address can be a password."""
    try:
        host = urlsplit(location).hostname
    except ValueError:
        return ""
    return f" to {host[:100]}" if host and host.isprintable() else ""


def _seconds(retry_after: str) -> float | None:
    """Return what Retry-After asks for, in either of its forms; ``None`` for anything else."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    try:
        return max((parsedate_to_datetime(retry_after) - timezone.now()).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None
