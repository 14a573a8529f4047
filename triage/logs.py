"""Log lines for people or as JSON: what they belong to is in every one of them, secrets in none."""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

MASK = "***"
# Each keeps what says which secret it was, in its group, and loses the secret itself.
SECRETS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(//)[^/@\s'\"]+(?=@)",  # the user and password of a URL
        r"(\b(?:bearer|basic)\s+)[\w.+/=~-]{4,}",
        r"(authorization['\"]?\s*[:=]\s*['\"]?(?!bearer\b|basic\b))[^\s'\",]+",
        r"(\b\w*(?:password|passwd|secret|token|api_?key|signature)['\"]?\s*[:=]\s*['\"]?)[^\s'\"&,;)]+",
        r"(\b(?:tbk|gh[pousr]|github_pat)_)\w{8,}",  # our tokens, and GitHub's
        r"(\bey)J[\w-]+\.[\w-]+\.[\w-]+",  # the tokens that an App signs
        r"(hooks\.slack\.com/\S*?/)[^\s'\"/]+(?=[\s'\"]|$)",
        r"(/invitations/)[^/\s'\"]+",
    )
)

_context: ContextVar[Mapping[str, str]] = ContextVar("log_context", default={})  # noqa: B039


def mask(text: str) -> str:
    """Return a text without the secrets in it."""
    for secret in SECRETS:
        text = secret.sub(rf"\g<1>{MASK}", text)
    return text


def context() -> Mapping[str, str]:
    """Return what the work in hand belongs to: request_id, task_id, upload_id, run_id."""
    return _context.get()


def set_context(**ids: object) -> None:
    """Forget what the work belonged to, and name what it belongs to now."""
    _context.set(_named(ids))


@contextmanager
def belonging_to(**ids: object) -> Iterator[None]:
    """Name more of what the work belongs to, for the length of a block."""
    before = _context.set({**_context.get(), **_named(ids)})
    try:
        yield
    finally:
        _context.reset(before)


class LineFormatter(logging.Formatter):
    """Lines for people: time, level, logger, message, and what the work belongs to."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}{ids}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and the traceback below it."""
        record.ids = "".join(f" {name}={value}" for name, value in context().items())
        return mask(super().format(record))


class JsonFormatter(logging.Formatter):
    """One JSON object per line, for machines that collect logs."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object."""
        told: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **context(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        masked = {
            name: mask(value) if isinstance(value, str) else value for name, value in told.items()
        }
        return json.dumps(masked, ensure_ascii=False, default=str)


FORMATTERS = {"line": LineFormatter, "json": JsonFormatter}


def _named(ids: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in ids.items() if value is not None}
