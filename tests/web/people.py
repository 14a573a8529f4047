"""Somebody who is signed in and administers the installation."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse


def signed_in_as_ada(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware under which every request is ada's."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.user = User.objects.get_or_create(username="ada", is_superuser=True)[0]
        return get_response(request)

    return middleware
