"""Why a message could not be sent, and whether trying again can help."""


class DeliveryFailure(Exception):  # noqa: N818 - a failure is what people see, an error is ours
    """A message that was not taken, with the reason and what the receiver answered."""

    is_temporary = False

    def __init__(
        self, reason: str, *, response: str = "", retry_after_s: float | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.response = response
        # What the receiver asked for, when it did.
        self.retry_after_s = retry_after_s


class TemporaryFailure(DeliveryFailure):
    """Trying again can help: a time limit, a lost connection, too many requests, a server error."""

    is_temporary = True


class PermanentFailure(DeliveryFailure):
    """Trying again cannot help until a person changes something."""
