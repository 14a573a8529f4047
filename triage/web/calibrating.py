"""The view of a repository's calibrations: POST asks for a new one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from triage.access.audit import note
from triage.models import Repository
from triage.terms import Role
from triage.verdict.calibration_reports import ask
from triage.web.changing import may_change, who_asks
from triage.web.guarding import guarded
from triage.web.pages.calibration import calibration_page


@require_http_methods(["GET", "HEAD", "POST"])
@guarded(Repository, change=Role.MEMBER)
def calibration(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show how often the gate would be wrong in a repository."""
    if request.method == "POST":
        ask(repository.pk, who_asks(request))
        note(request, "calibration_asked_for", repository)
        return redirect("calibration", full_name=repository.full_name)
    context = {
        "page": calibration_page(repository, request.GET),
        "may_change": may_change(request, repository, Role.MEMBER),
    }
    return render(request, "web/calibration.html", context)
