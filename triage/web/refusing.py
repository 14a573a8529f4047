"""Requests that no page takes: a query that no database can look for, a form that is not ours."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

ZERO_BYTE = "\0"
LONGEST_NAME = 50
# They ask who calls before anything else, and answer in a shape of their own.
FOR_PROGRAMS = ("/api/", "/webhooks/", "/upload/", "/v1/")


def refuse_zero_bytes(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that answers a query with a zero byte before a view reads it.

    No text that is stored holds one, and PostgreSQL refuses to look for it.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        is_page = not request.path.startswith(FOR_PROGRAMS)
        name = _with_zero_byte(request.GET) if is_page else None
        if name is None:
            return get_response(request)
        reason = f"“{name}” holds a zero byte (%00), which no name here does: take it out."
        return render(request, "400.html", {"reason": reason}, status=400)

    return middleware


def refuse_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say why a form was not taken for one of these pages, and what to do; nothing was changed."""
    words = (
        f"The form was not taken, and nothing was changed. {reason} Load its page again, with "
        "cookies allowed, and send it once more. If that does not help, TIEBREAK_URL of the server "
        "is not the address that you opened."
    )
    return render(request, "403.html", {"exception": words}, status=403)


def _with_zero_byte(query: QueryDict) -> str | None:
    """Return the name of a parameter with a zero byte in it, shortened, if there is one."""
    for name, values in query.lists():
        if any(ZERO_BYTE in text for text in (name, *values)):
            return name.replace(ZERO_BYTE, "")[:LONGEST_NAME] or "?"
    return None
