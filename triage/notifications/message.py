"""A message in words: what every channel shows, each in its own form."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from triage.models import Notification
from triage.terms import NotificationEvent

TITLES = {
    NotificationEvent.RUN_BLOCKED: "Run blocked",
    NotificationEvent.RUN_ON_HOLD: "Run on hold",
    NotificationEvent.BUDGET_SPENT: "Flake budget spent",
    NotificationEvent.ESCALATION_OPENED: "A question to a person",
    NotificationEvent.ESCALATION_DUE: "A question is due",
    NotificationEvent.ESCALATION_DECIDED: "A question is decided",
    NotificationEvent.ESCALATION_EXPIRED: "A question expired undecided",
    NotificationEvent.MUTE_EXPIRED: "A mute ended",
    NotificationEvent.PROVIDER_INCIDENT_OPENED: "Provider incident",
    NotificationEvent.PROVIDER_INCIDENT_CLOSED: "Provider incident over",
    NotificationEvent.TEST: "Test message",
}
# Keys of a payload that have a place of their own.
PLACED = frozenset({"headline", "details", "url", "is_reference"})
LINE_LENGTH = 300
MOST_DETAILS = 10


@dataclass(frozen=True, slots=True)
class Notice:
    """One event in words."""

    title: str
    headline: str
    lines: tuple[str, ...]
    url: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent in one go: one event, or a bundle of several."""

    id: str
    repository: str
    notifications: tuple[Notification, ...]

    @property
    def subject(self) -> str:
        """The message in one line."""
        first, *others = self.notices
        if others:
            return f"[{self.repository}] {len(self.notifications)} notifications"
        return f"[{self.repository}] {first.title}: {first.headline}"[:LINE_LENGTH]

    @property
    def notices(self) -> list[Notice]:
        """The events in words, oldest first."""
        return [_notice(each) for each in self.notifications]


def _notice(told: Notification) -> Notice:
    payload = told.payload
    return Notice(
        title=TITLES[NotificationEvent(told.event)],
        headline=_line(payload.get("headline") or ""),
        lines=tuple(_lines(payload)),
        url=_line(payload.get("url") or ""),
        at=told.at,
    )


def _lines(payload: dict[str, object]) -> Iterator[str]:
    """Yield details, then the payload's other plain values as facts."""
    details = payload.get("details")
    if isinstance(details, list):
        yield from (_line(each) for each in details[:MOST_DETAILS])
        if len(details) > MOST_DETAILS:
            yield f"… and {len(details) - MOST_DETAILS} more"
    for name, value in payload.items():
        if name not in PLACED and isinstance(value, str | int | float) and value != "":
            yield _line(f"{name.replace('_', ' ')}: {value}")


def _line(text: object) -> str:
    """Return one printable line: names and labels come from CI and may hold anything."""
    printable = "".join(each if each.isprintable() else " " for each in str(text))
    return " ".join(printable.split())[:LINE_LENGTH]
