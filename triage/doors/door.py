"""What all doors do alike: who knocks, how large a request may be, how a refusal looks."""

import functools
import logging
from collections.abc import Callable

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from triage.api.application import error_body
from triage.api.requests import refuse_oversized
from triage.errors import (
    MethodNotAllowedError,
    RateLimitedError,
    TiebreakError,
    UnauthorizedError,
    UnavailableError,
)
from triage.upload.callers import Caller, authenticate

logger = logging.getLogger(__name__)

View = Callable[..., HttpResponse]
Refuse = Callable[[TiebreakError], HttpResponse]


def refusal(error: TiebreakError) -> HttpResponse:
    """Answer in the shape of the API, with the message where other services put it as well."""
    return JsonResponse({"message": str(error)} | error_body(error), status=error.status)


def _told(refuse: Refuse, error: TiebreakError) -> HttpResponse:
    response = refuse(error)
    if isinstance(error, RateLimitedError):
        response["Retry-After"] = str(error.retry_after)
    return response


def door(method: str, refuse: Refuse = refusal) -> Callable[[View], View]:
    """Return a decorator: the view takes one method, and its errors are told by ``refuse``."""

    def decorate(view: View) -> View:
        @csrf_exempt
        @functools.wraps(view)
        def answer(request: HttpRequest, **told: str) -> HttpResponse:
            try:
                _refuse_method(request, method)
                refuse_oversized(request)
                return view(request, **told)
            except TiebreakError as error:
                # Some uploaders show nothing of the answer, so it has to be found here.
                logger.info("refused %s: %s", request.path, error)
                return _told(refuse, error)
            except OperationalError as error:
                logger.warning("database does not answer: %s", error)
                return refuse(UnavailableError("the database does not answer; try again later"))

        return answer

    return decorate


def token_of(request: HttpRequest, secret: str) -> Caller:
    """Return the token of a request; raise ``UnauthorizedError`` without a known one."""
    if not secret:
        raise UnauthorizedError(
            f"no token was sent with {request.path}; make one with "
            "'tiebreak create_token OWNER/NAME' and give it to the uploader"
        )
    return authenticate(secret)


def _refuse_method(request: HttpRequest, method: str) -> None:
    if request.method != method:
        raise MethodNotAllowedError(f"{request.path} takes {method}, got {request.method}")
