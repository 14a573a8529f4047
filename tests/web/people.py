"""Somebody who is signed in."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse


@dataclass(frozen=True)
class Person:
    """A person as the pages see one."""

    name: str
    is_authenticated: bool = True

    def __str__(self) -> str:
        return self.name


def signed_in_as_ada(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware under which every request is ada's."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.user = Person("ada")  # type: ignore[assignment]
        return get_response(request)

    return middleware
