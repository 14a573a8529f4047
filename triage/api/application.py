"""The API application: who is asking, and the one shape of every error."""

import logging
from typing import Any

from django.conf import settings
from django.db import DatabaseError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import conditional_page
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.security import HttpBearer

from triage.api.description import complete
from triage.errors import (
    InvalidRequestError,
    NotFoundError,
    TiebreakError,
    UnauthorizedError,
    UnavailableError,
)
from triage.upload.callers import Caller, authenticate, require_scope
from triage.version import VERSION

logger = logging.getLogger(__name__)

RETRY_AFTER_S = 5
PLAIN_TEXT = "text/plain; charset=utf-8"


class ProjectToken(HttpBearer):
    """``Authorization: Bearer TOKEN`` with a token of one repository."""

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        """Return the token, or raise ``UnauthorizedError``."""
        return authenticate(token)


class ReadingToken(ProjectToken):
    """A token whose scopes hold "read"."""

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        """Return the token, or raise ``UnauthorizedError`` or ``ForbiddenError``."""
        known = super().authenticate(request, token)
        require_scope(known, "read")
        return known


class DescribedAPI(NinjaAPI):
    """The API with a description that is complete."""

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """Return the OpenAPI 3.1 description."""
        schema = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        complete(schema)
        return schema


api = DescribedAPI(
    title="Tiebreak",
    version=VERSION,
    urls_namespace="api",
    auth=ProjectToken(),
    docs_url=None,
    description="Upload JUnit reports of suites that call LLMs; get a verdict back.",
)

# A list that did not change is not sent again to who names its ETag.
api.add_decorator(conditional_page, mode="view")


def prefers_text(request: HttpRequest) -> bool:
    """Whether the client asks for plain text before JSON."""
    return (request.headers.get("Accept") or "").startswith("text/plain")


def error_body(error: TiebreakError) -> dict[str, Any]:
    """Return the one JSON shape of errors."""
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "file": error.file,
            "line": error.line,
            "details": error.details,
            "help": help_address(error.code),
        }
    }


def help_address(code: str) -> str:
    """Return the address at which an error is explained."""
    return f"{settings.TIEBREAK_URL}/api/v1/docs#{code}"


@api.exception_handler(TiebreakError)
def answer_error(request: HttpRequest, error: TiebreakError) -> HttpResponse:
    """Answer with an error, as text where the client asks for it."""
    if prefers_text(request):
        told = f"{error.code}: {error}\n{help_address(error.code)}\n"
        response = HttpResponse(told, status=error.status, content_type=PLAIN_TEXT)
    else:
        response = api.create_response(request, error_body(error), status=error.status)
    if error.is_retryable:
        response["Retry-After"] = str(getattr(error, "retry_after", RETRY_AFTER_S))
    if error.status == UnauthorizedError.status:
        response["WWW-Authenticate"] = "Bearer"
    return response


@api.exception_handler(AuthenticationError)
def _on_missing_token(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    missing = "no token was sent; send 'Authorization: Bearer TOKEN'"
    return answer_error(request, UnauthorizedError(missing))


@api.exception_handler(ValidationError)
def _on_invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    first = error.errors[0]
    name = str(first["loc"][-1])
    return answer_error(request, InvalidRequestError(f"{name}: {first['msg']}"))


@api.exception_handler(HttpError)
def _on_http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return answer_error(request, InvalidRequestError(error.message))


@api.exception_handler(OperationalError)
def _on_database_down(request: HttpRequest, error: DatabaseError) -> HttpResponse:
    logger.error("database does not answer: %s", error)
    return answer_error(request, UnavailableError("the database does not answer; try again later"))


def not_found(request: HttpRequest, path: str) -> HttpResponse:
    """Answer for an address that the API does not have."""
    return answer_error(request, NotFoundError(f"there is nothing at /api/v1/{path[:200]}"))
