"""People before the pages: a member of every repository, and who administers the installation."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client

from triage.models import Membership, Repository
from triage.terms import Role

if TYPE_CHECKING:
    from playwright.sync_api import Page


def member() -> Client:
    """Return the client of a member of every repository that there is."""
    reader, _ = User.objects.get_or_create(username="reader")
    for repository in Repository.objects.exclude(memberships__user=reader):
        Membership.objects.create(repository=repository, user=reader, role=Role.MEMBER)
    client = Client()
    client.force_login(reader)
    return client


def sign_in_member(page: "Page", address: str) -> None:
    """Let a browser's tab be that of a member of every repository."""
    value = member().cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": address}]
    )


def signed_in_as_ada(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware under which every request is ada's."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.user = User.objects.get_or_create(username="ada", is_superuser=True)[0]
        return get_response(request)

    return middleware
