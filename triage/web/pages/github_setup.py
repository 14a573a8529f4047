"""The page of the GitHub App: what it may do, where it is installed, what came of its deliveries.

Each part is asked of GitHub by itself, so that one refusal does not hide the others; after the
first one that shows GitHub to be out of reach, nothing more is asked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import TypeVar

from django.conf import settings

from triage.models import GitHubRepository, WebhookDelivery
from triage.publish.app import App, github_app
from triage.publish.forge import ForgeError, TemporaryForgeError
from triage.publish.github.access import AppKey
from triage.publish.github.app_api import (
    AppRights,
    HookDelivery,
    InstallationRights,
    RateLimit,
    read_app,
    read_deliveries,
    read_installations,
    read_rate_limit,
)
from triage.publish.github.manifest import SIGN_IN_CALLBACK
from triage.publish.github.rights import EVENTS, PERMISSIONS, Permission
from triage.web.presenters.badges import Badge, Tone

DELIVERIES_SHOWN = 15
# Each takes two requests, while a person waits.
LIMITS_SHOWN = 5

Told = TypeVar("Told")


@dataclass(frozen=True, slots=True)
class PermissionRow:
    """A permission that is needed, and whether it was granted."""

    permission: Permission
    badge: Badge


@dataclass(frozen=True, slots=True)
class InstallationRow:
    """Where the App is installed, what is missing there, and what is left of its requests."""

    installation: InstallationRights
    repositories: int
    missing: Sequence[str]
    limit: RateLimit | None


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """A delivery as GitHub tells of it and as it came in here; either may be unknown."""

    at: datetime
    event: str
    guid: str
    there: HookDelivery | None
    here: WebhookDelivery | None


@dataclass(slots=True)
class SetupPage:
    """What the page shows; lists are empty where GitHub did not tell."""

    app: App | None
    our_url: str
    hook_url: str
    # Where people who sign in are led back to.
    callback_url: str
    is_reachable_name: bool
    rights: AppRights | None = None
    permissions: Sequence[PermissionRow] = ()
    missing_events: Mapping[str, str] = field(default_factory=dict)
    installations: Sequence[InstallationRow] = ()
    deliveries: Sequence[DeliveryRow] = ()
    repositories: Sequence[GitHubRepository] = ()
    # What GitHub refused, in its own words.
    problems: list[str] = field(default_factory=list)
    is_out_of_reach: bool = False


def setup_page() -> SetupPage:
    """Read the page; GitHub is asked only where an App is entered."""
    url = settings.TIEBREAK_URL
    page = SetupPage(
        app=github_app(),
        our_url=url,
        hook_url=f"{url}/webhooks/github/",
        callback_url=f"{url}{SIGN_IN_CALLBACK}",
        is_reachable_name="//127.0.0.1" not in url and "//localhost" not in url,
    )
    if page.app is not None:
        _ask(page, page.app)
    return page


def _ask(page: SetupPage, app: App) -> None:
    reached = GitHubRepository.objects.select_related("repository", "installation")
    page.repositories = list(
        reached.filter(
            removed_at__isnull=True,
            installation__removed_at__isnull=True,
            installation__suspended_at__isnull=True,
        ).order_by("repository__full_name")
    )
    key = _told(page, lambda: app.key)
    if key is None:
        page.deliveries = _delivery_rows([])
        return
    page.rights = _told(page, lambda: read_app(key))
    installations = _told(page, lambda: read_installations(key)) or []
    page.installations = [_installation_row(page, key, *each) for each in enumerate(installations)]
    if page.rights:
        page.permissions = [
            _permission_row(each, page.rights, installations) for each in PERMISSIONS
        ]
        held = set(page.rights.events)
        page.missing_events = {name: why for name, why in EVENTS.items() if name not in held}
    page.deliveries = _delivery_rows(_told(page, lambda: _newest_deliveries(key)) or [])


def _told(page: SetupPage, ask: Callable[[], Told]) -> Told | None:
    """Return GitHub's answer, or keep why there is none."""
    if page.is_out_of_reach:
        return None
    try:
        return ask()
    except ForgeError as error:
        page.is_out_of_reach = isinstance(error, TemporaryForgeError)
        if str(error) not in page.problems:
            page.problems.append(str(error))
        return None


def _permission_row(
    permission: Permission, rights: AppRights, installations: Sequence[InstallationRights]
) -> PermissionRow:
    granted = [each for each in installations if permission.is_granted(each.permissions)]
    if not permission.is_granted(rights.permissions):
        if permission.is_optional:
            return PermissionRow(permission, Badge("not asked for", "skipped", Tone.QUIET))
        return PermissionRow(permission, Badge("the App lacks it", "blocked", Tone.BAD))
    if len(granted) < len(installations):
        word = f"granted by {len(granted)} of {len(installations)}"
        return PermissionRow(permission, Badge(word, "on-hold", Tone.WARNING))
    word = "granted" if installations else "asked for"
    return PermissionRow(permission, Badge(word, "passed", Tone.GOOD))


def _installation_row(
    page: SetupPage, key: AppKey, index: int, installation: InstallationRights
) -> InstallationRow:
    needed = [each for each in PERMISSIONS if not each.is_optional]
    missing = [
        f"{each.name}: {each.level}"
        for each in needed
        if not each.is_granted(installation.permissions)
    ]
    number = installation.github_id
    reached = [each for each in page.repositories if each.installation.github_id == number]
    limit = None
    if index < LIMITS_SHOWN and not installation.is_suspended:
        limit = _told(page, lambda: read_rate_limit(key, number))
    return InstallationRow(installation, len(reached), missing, limit)


def _newest_deliveries(key: AppKey) -> list[HookDelivery]:
    found = read_deliveries(key, most_pages=1, per_page=DELIVERIES_SHOWN)
    return list(islice(found, DELIVERIES_SHOWN))


def _delivery_rows(there: Sequence[HookDelivery]) -> list[DeliveryRow]:
    """Return the newest deliveries, of GitHub's list and of ours, each try of GitHub's apart."""
    guids = {each.guid for each in there}
    here = {
        each.delivery_id: each for each in WebhookDelivery.objects.filter(delivery_id__in=guids)
    }
    newest = WebhookDelivery.objects.exclude(delivery_id__in=guids).order_by("-received_at")
    rows = [
        DeliveryRow(each.at, f"{each.event} {each.action}", each.guid, each, here.get(each.guid))
        for each in there
    ] + [
        DeliveryRow(each.received_at, f"{each.event} {each.action}", each.delivery_id, None, each)
        for each in newest[:DELIVERIES_SHOWN]
    ]
    return sorted(rows, key=lambda row: row.at, reverse=True)[:DELIVERIES_SHOWN]
