"""``/metrics`` for Prometheus, to whoever has the token, or to this machine where none is set."""

import hmac
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from triage.web.measurements import DatabaseCollector

WRONG_TOKEN = "send 'Authorization: Bearer TOKEN' with the value of METRICS_TOKEN\n"  # noqa: S105
NOT_LOOPBACK = (
    "METRICS_TOKEN is not set, so metrics are only answered to loopback addresses and never "
    "through a proxy. Set METRICS_TOKEN to at least 32 random characters, restart, and send it as "
    "'Authorization: Bearer TOKEN'.\n"
)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer with what the database says now, which holds for all processes at once."""
    if settings.METRICS_TOKEN:
        if not _has_token(request):
            answer = HttpResponse(WRONG_TOKEN, status=401, content_type="text/plain")
            answer["WWW-Authenticate"] = "Bearer"
            return answer
    elif not _is_from_this_machine(request):
        return HttpResponse(NOT_LOOPBACK, status=403, content_type="text/plain")
    registry = CollectorRegistry(auto_describe=False)
    registry.register(DatabaseCollector())
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(encode(registry), content_type=content_type)


def _has_token(request: HttpRequest) -> bool:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    is_equal = hmac.compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())
    return is_equal and scheme.lower() == "bearer"


def _is_from_this_machine(request: HttpRequest) -> bool:
    # A proxy on this machine connects from loopback for everybody it forwards.
    if request.headers.get("X-Forwarded-For") or request.headers.get("Forwarded"):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
