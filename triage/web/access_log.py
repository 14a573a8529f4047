"""A number for every request, and one log line about it."""

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from triage.logs import belonging_to

logger = logging.getLogger(__name__)

HEADER = "X-Request-ID"
# What may be repeated in logs, headers and messages as it came.
SAFE_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


def access_log(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that names the request in logs and in the response."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request_id = _request_id(request)
        with belonging_to(request_id=request_id):
            began = time.perf_counter()
            response = get_response(request)
            _log(request, response.status_code, round((time.perf_counter() - began) * 1000))
        response[HEADER] = request_id
        return response

    return middleware


def _request_id(request: HttpRequest) -> str:
    given = request.headers.get(HEADER, "")
    return given if SAFE_ID.fullmatch(given) else uuid.uuid4().hex


def _log(request: HttpRequest, status: int, duration_ms: int) -> None:
    # Without the query, which may hold what is nobody's business.
    told = {"method": request.method, "path": request.path, "status": status}
    fields = told | {"duration_ms": duration_ms}
    logger.info(
        "%s %s %d in %d ms", request.method, request.path, status, duration_ms,
        extra={"fields": fields},
    )  # fmt: skip
