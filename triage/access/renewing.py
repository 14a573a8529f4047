"""Ask for roles by a forge again: a request only notes that it is time, nobody waits for it."""

import time
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from triage.access.forge_roles import COUNTS_FOR, RENEWED_AFTER
from triage.models import ForgeRole

# When this session last asked, as a time stamp. Sessions of people without such roles have none,
# so that their requests cost nothing.
SESSION_KEY = "forge_roles_asked"


def expect_renewal(request: HttpRequest) -> None:
    """Let the requests of whoever has just signed in ask for their roles again in time."""
    if ForgeRole.objects.filter(user_id=_pk(request)).exists():
        # The first one asks for whatever is old already.
        request.session[SESSION_KEY] = 0


def ask_where_due(request: HttpRequest) -> None:
    """Note that a person's roles have to be confirmed, where they were not for an hour."""
    asked = request.session.get(SESSION_KEY)
    if asked is None or time.time() - asked < RENEWED_AFTER.total_seconds():
        return
    now = timezone.now()
    request.session[SESSION_KEY] = now.timestamp()
    old = ForgeRole.objects.filter(user_id=_pk(request), confirmed_at__lte=now - RENEWED_AFTER)
    old.filter(asked_at__isnull=True).update(asked_at=now)


def has_lapsed_roles(request: HttpRequest) -> bool:
    """Whether a person has roles that count no more until the forge confirms them."""
    before = timezone.now() - COUNTS_FOR
    return ForgeRole.objects.filter(user_id=_pk(request), confirmed_at__lte=before).exists()


def _pk(request: HttpRequest) -> Any:
    return request.user.pk
