"""The pages' views: each asks for its page and hands it to its template."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from triage.terms import Role
from triage.web.changing import may_change
from triage.web.forms.mute import MuteForm
from triage.web.lookups import find_repository
from triage.web.pages.budgets import budgets_page
from triage.web.pages.case import case_page
from triage.web.pages.cases import cases_page
from triage.web.pages.home import home_page
from triage.web.pages.policy import policy_page
from triage.web.pages.repository import repository_page
from triage.web.pages.run import run_page


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what needs somebody, then the repositories."""
    return render(request, "web/home.html", {"page": home_page(request.GET)})


@require_safe
def repository(request: HttpRequest, full_name: str) -> HttpResponse:
    """Show the runs, the budget and the liveliest cases of a repository."""
    page = repository_page(full_name, request.GET)
    return render(request, "web/repository.html", {"page": page})


@require_safe
def budgets(request: HttpRequest, full_name: str) -> HttpResponse:
    """Show where the budgets of a repository stand, and what a rate would mean."""
    page = budgets_page(full_name, request.GET)
    return render(request, "web/budgets.html", {"page": page})


@require_safe
def cases(request: HttpRequest, full_name: str) -> HttpResponse:
    """Show the cases of a repository that fit a search."""
    page = cases_page(find_repository(full_name), request.GET)
    return render(request, "web/cases.html", {"page": page})


@require_safe
def policy(request: HttpRequest, full_name: str) -> HttpResponse:
    """Show the policy of a repository and which of its rules holds for which case."""
    page = policy_page(full_name, request.GET)
    return render(request, "web/policy.html", {"page": page})


@require_safe
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the decision on a run and everything it rests on."""
    return render(request, "web/run.html", {"page": run_page(pk, request.GET)})


@require_safe
def case(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what is known of a case."""
    page = case_page(pk)
    mute = {
        "mute_form": MuteForm(),
        "may_change": may_change(request, page.case.repository, Role.DECIDER),
    }
    return render(request, "web/case.html", {"page": page, **mute})
