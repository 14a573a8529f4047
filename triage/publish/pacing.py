"""Take turns: GitHub wants a pause between two writes of one installation, whoever makes them."""

from datetime import datetime, timedelta

from django.utils import timezone

from triage.models import Installation
from triage.terms import PublicationKind

# GitHub's guide asks for a second between writes; comments notify people, so they get three.
PAUSES = {
    PublicationKind.CHECK: timedelta(seconds=1),
    PublicationKind.COMMENT: timedelta(seconds=3),
}


def take_turn(installation: Installation, kind: PublicationKind) -> datetime | None:
    """Take the next turn to write; ``None`` if it was free, else when to come back."""
    now = timezone.now()
    taken = Installation.objects.filter(pk=installation.pk, next_write_at__lte=now).update(
        next_write_at=now + PAUSES[kind]
    )
    if taken:
        return None
    installation.refresh_from_db(fields=["next_write_at"])
    return installation.next_write_at


def pause(installation: Installation, until: datetime) -> None:
    """Leave an installation alone until a time that GitHub named."""
    Installation.objects.filter(pk=installation.pk, next_write_at__lt=until).update(
        next_write_at=until
    )
