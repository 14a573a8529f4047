"""Confirm or refuse a rename, in a person's name."""

from django.db import transaction
from django.utils import timezone

from triage.errors import InvalidRequestError
from triage.models import CaseRename
from triage.record.renames.following import follow
from triage.terms import RenameState


def confirm(rename: CaseRename, who: str) -> None:
    """Bring the history along; raise ``InvalidRequestError`` where it cannot be."""
    with transaction.atomic():
        _check_open(rename)
        if rename.old is None or rename.new is None:
            raise InvalidRequestError(f"one of the cases of {rename} is no longer there")
        old, new = rename.old, rename.new
        _decide(rename, RenameState.CONFIRMED, who)
        follow(old, new)


def refuse(rename: CaseRename, who: str) -> None:
    """Keep the two as two cases."""
    _check_open(rename)
    _decide(rename, RenameState.REFUSED, who)


def _check_open(rename: CaseRename) -> None:
    if rename.state != RenameState.PROPOSED:
        raise InvalidRequestError(f"{rename} was {rename.state} by {rename.who} already")


def _decide(rename: CaseRename, state: RenameState, who: str) -> None:
    rename.state, rename.who, rename.decided_at = state, who, timezone.now()
    rename.save(update_fields=["state", "who", "decided_at"])
