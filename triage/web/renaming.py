"""The views of renames: proposals, confirmed or refused by a person."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from triage.access.audit import note
from triage.errors import InvalidRequestError
from triage.models import CaseRename, Repository
from triage.record.renames.deciding import confirm, refuse
from triage.record.renames.proposing import open_renames
from triage.terms import Role
from triage.web.changing import may_change, who_asks
from triage.web.guarding import guarded

MOST_DECIDED = 50


@require_http_methods(["GET", "HEAD", "POST"])
@guarded(Repository, change=Role.DECIDER)
def renames(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show the proposals of a repository; POST confirms or refuses one."""
    problem = ""
    if request.method == "POST":
        problem = _decide(request, repository)
        if not problem:
            return redirect("renames", full_name=repository.full_name)
    decided = CaseRename.objects.filter(repository=repository).exclude(state="proposed")
    shown = {
        "repository": repository,
        "proposed": open_renames(repository.pk),
        "decided": decided.order_by("-decided_at")[:MOST_DECIDED],
        "may_change": may_change(request, repository, Role.DECIDER),
        "problem": problem,
    }
    return render(request, "web/renames.html", shown, status=400 if problem else 200)


def _decide(request: HttpRequest, repository: Repository) -> str:
    """Do what was asked; return what is wrong with it, or nothing."""
    found = CaseRename.objects.select_related("old", "new").filter(repository=repository)
    told = request.POST.get("rename", "")
    rename = found.filter(pk=int(told)).first() if told.isdecimal() else None
    if rename is None:
        return "There is no such proposal in this repository."
    decide = confirm if request.POST.get("answer") == "confirm" else refuse
    try:
        decide(rename, who_asks(request))
    except InvalidRequestError as error:
        return error.message
    note(request, f"rename_{rename.state}", repository, str(rename))
    return ""
