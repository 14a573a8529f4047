"""Give errors that come from outside the API's own code the shape that its own have."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from triage.api.application import answer_error
from triage.errors import (
    InternalError,
    InvalidRequestError,
    MethodNotAllowedError,
    NotFoundError,
    PayloadTooLargeError,
    TiebreakError,
)

PREFIX = "/api/v1/"
Handler = Callable[[HttpRequest], HttpResponse]


def error_shape(get_response: Handler) -> Handler:
    """Return a middleware that turns error pages of the API's addresses into error bodies."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        kind = response.headers.get("Content-Type", "")
        is_page = response.status_code >= 400 and kind.startswith("text/html")
        if not (is_page and request.path.startswith(PREFIX)):
            return response
        shaped = answer_error(request, _error(request, response.status_code))
        if "Allow" in response.headers:
            shaped["Allow"] = response["Allow"]
        return shaped

    return middleware


def _error(request: HttpRequest, status: int) -> TiebreakError:
    if status == MethodNotAllowedError.status:
        return MethodNotAllowedError(f"{request.path[:200]} does not take {request.method}")
    if status == NotFoundError.status:
        return NotFoundError(f"there is nothing at {request.path[:200]}")
    if status == PayloadTooLargeError.status:
        return PayloadTooLargeError("the request is larger than is taken")
    if status < 500:
        return InvalidRequestError("the request cannot be read: a host, a form or a path is wrong")
    return InternalError("this is a mistake of the server; its log tells more")
