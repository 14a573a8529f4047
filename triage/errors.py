"""Every error the product raises on purpose, as one tree.

===========================  ====  =========
code                         HTTP  retryable
===========================  ====  =========
invalid_request              400   no
no_files                     400   no
unauthorized                 401   no
forbidden                    403   no
not_found                    404   no
method_not_allowed           405   no
payload_too_large            413   no
pruned                       410   no
idempotency_key_reused       422   no
unreadable_report            422   no
verdict_failed               422   no
rate_limited                 429   yes
internal_error               500   no
unavailable                  503   yes
unreadable_secret            503   no
===========================  ====  =========
"""

from dataclasses import dataclass, field


@dataclass
class TiebreakError(Exception):
    """The root: a message for people, and the place it is about when there is one."""

    message: str
    file: str | None = None
    line: int | None = None
    details: list[dict[str, object]] = field(default_factory=list)

    code = "error"
    status = 500
    is_retryable = False

    def __str__(self) -> str:
        place = f"{self.file}: " if self.file else ""
        line = f"line {self.line}: " if self.line else ""
        return f"{place}{line}{self.message}"


class InvalidRequestError(TiebreakError):
    """A parameter is missing or has a value that is not legal."""

    code = "invalid_request"
    status = 400


class NoFilesError(TiebreakError):
    """An upload holds no report file."""

    code = "no_files"
    status = 400


class PrunedError(TiebreakError):
    """A run whose results were deleted for their age."""

    code = "pruned"
    status = 410


class UnauthorizedError(TiebreakError):
    """No token, or one that nobody issued."""

    code = "unauthorized"
    status = 401


class ForbiddenError(TiebreakError):
    """A good token that may not do this."""

    code = "forbidden"
    status = 403


class NotFoundError(TiebreakError):
    """Nothing of that name is visible to the caller."""

    code = "not_found"
    status = 404


class MethodNotAllowedError(TiebreakError):
    """An address that does not take this method."""

    code = "method_not_allowed"
    status = 405


class PayloadTooLargeError(TiebreakError):
    """A request, a file or a member is larger than its limit."""

    code = "payload_too_large"
    status = 413


class IdempotencyKeyReusedError(TiebreakError):
    """The key was used before, for other content."""

    code = "idempotency_key_reused"
    status = 422


class UnreadableReportError(TiebreakError):
    """No file of an upload could be read as JUnit XML."""

    code = "unreadable_report"
    status = 422


class VerdictFailedError(TiebreakError):
    """The caller asked for a failing status when the verdict fails."""

    code = "verdict_failed"
    status = 422


@dataclass
class RateLimitedError(TiebreakError):
    """Too many requests within a minute; ``retry_after`` is in seconds."""

    retry_after: int = 1

    code = "rate_limited"
    status = 429
    is_retryable = True


class InternalError(TiebreakError):
    """A mistake of the server's own."""

    code = "internal_error"
    status = 500


class UnavailableError(TiebreakError):
    """A part the service needs does not answer."""

    code = "unavailable"
    status = 503
    is_retryable = True


class UnreadableSecretError(TiebreakError):
    """A stored secret that none of the installation's keys decrypts."""

    code = "unreadable_secret"
    status = 503
