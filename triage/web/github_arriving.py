"""Let in whoever GitHub vouches for: whose account it is, and which roles come with it."""

import logging
from collections.abc import Mapping

from django.contrib.auth import login
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.http import HttpRequest

from triage.access.audit import note
from triage.access.following_forge import follow_all
from triage.access.github_accounts import GitHubPerson, connect, make_account, user_of
from triage.access.renewing import expect_renewal
from triage.errors import InvalidRequestError
from triage.publish.forge import ForgeError
from triage.publish.people import roles_by_token
from triage.terms import Role
from triage.web.github_provider import sign_in_app

logger = logging.getLogger(__name__)

BACKEND = f"{ModelBackend.__module__}.{ModelBackend.__qualname__}"


def connect_account(request: HttpRequest, person: GitHubPerson, token: str) -> str:
    """Tie a GitHub account to whoever is signed in; return the problem, empty for none."""
    if not isinstance(request.user, User):
        return "state"
    try:
        connect(request.user, person)
    except InvalidRequestError:
        return "taken"
    note(request, "github_connected", subject=person.login)
    roles = _roles(token)
    if roles is not None:
        follow_all(request.user, roles)
    expect_renewal(request)
    return ""


def sign_in(request: HttpRequest, person: GitHubPerson, token: str) -> str:
    """Sign in whose account it is; return the problem that kept the person out, empty for none.

    Whoever has no account gets one where GitHub's permissions are worth a role.
    """
    user = user_of(person)
    if user is not None and not user.is_active:
        return "closed"
    roles = _roles(token)
    if user is None and roles is None:
        return "down"
    # The very first account is made by the link that the server prints.
    if user is None and not (roles and User.objects.exists()):
        return "unknown"
    if user is None:
        user = make_account(person)
    if roles is not None:
        follow_all(user, roles)
    login(request, user, backend=BACKEND)
    expect_renewal(request)
    note(request, "signed_in", subject=f"with GitHub as {person.login}")
    return ""


def _roles(token: str) -> Mapping[int, Role] | None:
    """Return a person's roles by repository; ``None`` while GitHub does not tell them."""
    app = sign_in_app()
    try:
        return roles_by_token(app, token) if app is not None else None
    except ForgeError as error:
        # Those that are known count for a day.
        logger.warning("roles of who signs in could not be read: %s", error)
        return None
