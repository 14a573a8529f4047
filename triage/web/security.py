"""Headers that keep a page from running or loading anything that is not its own."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

TEMPLATE = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'{forms}; base-uri 'none'; "
    "frame-ancestors 'none'"
)


POLICY = TEMPLATE.format(forms="")


def let_forms_go_to(response: HttpResponse, origin: str) -> None:
    """Let the forms of one page lead to another site, too."""
    response["Content-Security-Policy"] = TEMPLATE.format(forms=f" {origin}")


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that adds the policy to every response."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.setdefault("Content-Security-Policy", POLICY)
        return response

    return middleware
