"""The pages' views: each asks for its page and hands it to its template."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from triage.access.reading import visible_repositories
from triage.access.renewing import ask_where_due
from triage.models import Case, Repository, Run
from triage.terms import Role
from triage.web.changing import may_change
from triage.web.forms.mute import MuteForm
from triage.web.guarding import ask_to_sign_in, guarded
from triage.web.pages.budgets import budgets_page
from triage.web.pages.case import case_page
from triage.web.pages.cases import cases_page
from triage.web.pages.comparison import comparison_page
from triage.web.pages.home import home_page
from triage.web.pages.policy import policy_page
from triage.web.pages.repository import repository_page
from triage.web.pages.run import run_page


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what needs somebody, then the repositories that are open to whoever asks."""
    ask_where_due(request)
    is_signed_in = request.user.is_authenticated
    visible = visible_repositories(request.user)
    page = home_page(request.GET, visible, is_signed_in=is_signed_in)
    if page.are_others_hidden and not is_signed_in:
        return ask_to_sign_in(request)
    return render(request, "web/home.html", {"page": page})


@require_safe
@guarded(Repository, "github")
def repository(request: HttpRequest, found: Repository) -> HttpResponse:
    """Show the runs, the budget and the liveliest cases of a repository."""
    page = repository_page(found, request.GET)
    shown = {"page": page, "is_member": may_change(request, found, Role.MEMBER)}
    return render(request, "web/repository.html", shown)


@require_safe
@guarded(Repository)
def budgets(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show where the budgets of a repository stand, and what a rate would mean."""
    page = budgets_page(repository, request.GET)
    return render(request, "web/budgets.html", {"page": page})


@require_safe
@guarded(Repository)
def cases(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show the cases of a repository that fit a search."""
    return render(request, "web/cases.html", {"page": cases_page(repository, request.GET)})


@require_safe
@guarded(Repository)
def policy(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show the policy of a repository and which of its rules holds for which case."""
    page = policy_page(repository, request.GET)
    shown = {"page": page, "may_change": may_change(request, repository, Role.ADMIN)}
    return render(request, "web/policy.html", shown)


@require_safe
@guarded(Run)
def run(request: HttpRequest, found: Run) -> HttpResponse:
    """Show the decision on a run and everything it rests on."""
    return render(request, "web/run.html", {"page": run_page(found, request.GET)})


@require_safe
@guarded(Run)
def comparison(request: HttpRequest, found: Run) -> HttpResponse:
    """Show what differs between a run and its base, or any other run of its repository."""
    page = comparison_page(found, request.GET)
    return render(request, "web/run_comparison.html", {"page": page})


@require_safe
@guarded(Case)
def case(request: HttpRequest, found: Case) -> HttpResponse:
    """Show what is known of a case."""
    mute = {
        "mute_form": MuteForm(),
        "may_change": may_change(request, found.repository, Role.DECIDER),
    }
    return render(request, "web/case.html", {"page": case_page(found), **mute})
