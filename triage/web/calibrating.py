"""The view of a repository's calibrations: POST asks for a new one."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from triage.access.audit import note
from triage.models import Repository
from triage.terms import Role
from triage.verdict.calibration_reports import ask
from triage.web.changing import may_change, require_change, who_asks
from triage.web.pages.calibration import calibration_page


@require_http_methods(["GET", "HEAD", "POST"])
def calibration(request: HttpRequest, full_name: str) -> HttpResponse:
    """Show how often the gate would be wrong in a repository."""
    repository = Repository.objects.filter(full_name=full_name).first()
    if repository is None:
        raise Http404(f"There is no repository “{full_name}” here. Names are case-sensitive.")
    if request.method == "POST":
        require_change(request, repository, Role.MEMBER)
        ask(repository.pk, who_asks(request))
        note(request, "calibration_asked_for", repository)
        return redirect("calibration", full_name=full_name)
    context = {
        "page": calibration_page(repository, request.GET),
        "may_change": may_change(request, repository, Role.MEMBER),
    }
    return render(request, "web/calibration.html", context)
