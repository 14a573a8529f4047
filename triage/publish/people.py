"""Which roles people have by the forge: only in repositories that the App reaches."""

import logging
from datetime import timedelta

from django.utils import timezone

from triage.access.following_forge import follow
from triage.access.forge_roles import COUNTS_FOR, RENEWED_AFTER, role_on_forge
from triage.access.github_accounts import person_of
from triage.models import ForgeRole, GitHubRepository
from triage.publish.app import App
from triage.publish.connections import connection_of
from triage.publish.forge import ForgeError, GoneForgeError
from triage.publish.github.people import Standing, read_reached
from triage.terms import Role

logger = logging.getLogger(__name__)

# Each takes a request; a minute later the rest has its turn.
MOST_AT_ONCE = 300
# Whoever does not answer that often is not asked on.
MOST_FAILURES = 3
KEPT_UNANSWERED: timedelta = COUNTS_FOR - RENEWED_AFTER


def roles_by_token(app: App, token: str) -> dict[int, Role]:
    """Return a person's roles by repository, asked with a token of theirs.

    Raises ``ForgeError`` where GitHub does not tell.
    """
    reached = {
        each.github_id: role
        for each in read_reached(app.api_url, token)
        if (role := role_on_forge(each.permission)) is not None
    }
    known = GitHubRepository.objects.filter(
        github_id__in=reached,
        removed_at__isnull=True,
        installation__removed_at__isnull=True,
        installation__suspended_at__isnull=True,
    )
    pairs = known.values_list("repository_id", "github_id")
    return {repository: reached[number] for repository, number in pairs}


def renew_asked() -> None:
    """Ask the forge for the roles that a request noted, as the App; no token of theirs is kept."""
    failures = 0
    # In no order, so that none that fails keeps the others from their turn.
    asked = ForgeRole.objects.filter(asked_at__isnull=False).order_by("?")
    for held in asked.select_related("repository", "user")[:MOST_AT_ONCE]:
        try:
            follow(held.repository, held.user, _role_now(held))
        except ForgeError as error:
            logger.warning("role of %s could not be confirmed: %s", held, error)
            _end_unanswered(held)
            failures += 1
        if failures == MOST_FAILURES:
            return


def _role_now(held: ForgeRole) -> Role | None:
    """Return the role that a person has by the forge now; ``None`` for none any more."""
    connection, person = connection_of(held.repository_id), person_of(held.user)
    if connection is None or person is None or person.site != connection.app.html_url:
        return None
    try:
        told = connection.renewing(lambda: connection.standing_of(person.login))
    except GoneForgeError:
        return None
    # Names change hands: somebody else's permission gives this person nothing.
    return _role(told) if str(told.number) == person.number else None


def _role(standing: Standing) -> Role | None:
    named, older = standing.permissions
    return role_on_forge(named) or role_on_forge(older)


def _end_unanswered(held: ForgeRole) -> None:
    """Take a role away that the forge was asked for in vain for a day."""
    if held.asked_at is not None and held.asked_at <= timezone.now() - KEPT_UNANSWERED:
        follow(held.repository, held.user, None)
