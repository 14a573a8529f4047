"""Take turns: a forge wants a pause between two writes of one account, whoever makes them."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.utils import timezone

from triage.models import ForgeSettings, Installation
from triage.terms import PublicationKind

# Whose writes are counted together.
Paced = Installation | ForgeSettings
Pauses = Mapping[PublicationKind, timedelta]
# GitHub's guide asks for a second between writes; comments notify people, so they get three.
GITHUB_PAUSES: Pauses = {
    PublicationKind.CHECK: timedelta(seconds=1),
    PublicationKind.COMMENT: timedelta(seconds=3),
}
# GitLab takes 60 notes a minute from one account, and names no pause for the rest.
GITLAB_PAUSES: Pauses = {
    PublicationKind.CHECK: timedelta(milliseconds=200),
    PublicationKind.COMMENT: timedelta(seconds=1),
}


def take_turn(
    paced: Paced, kind: PublicationKind, pauses: Pauses = GITHUB_PAUSES
) -> datetime | None:
    """Take the next turn to write; ``None`` if it was free, else when to come back."""
    now = timezone.now()
    free = type(paced)._default_manager.filter(pk=paced.pk, next_write_at__lte=now)
    if free.update(next_write_at=now + pauses[kind]):
        return None
    paced.refresh_from_db(fields=["next_write_at"])
    return paced.next_write_at


def pause(paced: Paced, until: datetime) -> None:
    """Leave an account alone until a time that the forge named."""
    later = type(paced)._default_manager.filter(pk=paced.pk, next_write_at__lt=until)
    later.update(next_write_at=until)
