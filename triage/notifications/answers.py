"""Tell from an answer whether a message was taken, and if not, whether to try again."""

from email.utils import parsedate_to_datetime

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
            f"answered {answer.status} to {answer.location[:200]!r}; redirects are not followed, "
            "use the final URL",
            response=answer.text,
        )
    if answer.status in TEMPORARY_STATUSES or answer.status >= LOWEST_SERVER_ERROR:
        raise TemporaryFailure(
            f"answered {answer.status}",
            response=answer.text,
            retry_after_s=_seconds(answer.retry_after),
        )
    raise PermanentFailure(f"answered {answer.status}", response=answer.text)


def _seconds(retry_after: str) -> float | None:
    """Return what Retry-After asks for, in either of its forms; ``None`` for anything else."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    try:
        return max((parsedate_to_datetime(retry_after) - timezone.now()).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None
