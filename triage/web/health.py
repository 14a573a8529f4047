"""Whether this process is alive, and whether it can work: for load balancers and orchestrators."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from triage.checks.everything import READINESS
from triage.checks.running import CheckState, run_checks


@never_cache
@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """Answer as long as the process does."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Answer 200 if everything needed works, else 503 with the names of what does not.

    Reasons stay in the logs and in ``tiebreak doctor``: this address is open to everybody.
    """
    results = run_checks(READINESS)
    is_ready = all(each.state is not CheckState.FAIL for each in results)
    body = {
        "is_ready": is_ready,
        "checks": {each.name: each.state.value for each in results},
    }
    return JsonResponse(body, status=200 if is_ready else 503)
