"""The views of questions to people: the inbox, one question, and its answer."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from triage.access.audit import note
from triage.dispatch import after_decision
from triage.errors import InvalidRequestError
from triage.models import Escalation, Repository
from triage.terms import Role
from triage.verdict.escalations.deciding import decide
from triage.web.changing import may_change, who_asks
from triage.web.forms.decision import DecisionForm
from triage.web.guarding import guarded
from triage.web.pages.escalations import escalation_page, escalations_page


@require_safe
@guarded(Repository)
def inbox(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show the questions of a repository, open ones first."""
    page = escalations_page(repository, request.GET)
    return render(request, "web/escalations.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@guarded(Escalation, "case", "epoch", change=Role.DECIDER)
def escalation(request: HttpRequest, found: Escalation) -> HttpResponse:
    """Show one question with its evidence; POST decides it.

    A link may fill in what it proposes, such as the label that a button asked about.
    """
    form = DecisionForm(found, request.POST or None, initial=request.GET.dict())
    if request.method == "POST" and form.is_valid() and _decide(request, found, form):
        return redirect("escalation", pk=found.pk)
    shown = {
        "page": escalation_page(found),
        "form": form,
        "may_change": may_change(request, found.repository, Role.DECIDER),
    }
    return render(request, "web/escalation.html", shown, status=400 if form.errors else 200)


def _decide(request: HttpRequest, found: Escalation, form: DecisionForm) -> bool:
    try:
        decision = decide(found, form.answer, who_asks(request))
    except InvalidRequestError as error:
        form.add_error(None, error.message)
        return False
    note(request, "decided", found.repository, found.case.title, kind=decision.kind)
    after_decision(found.pk)
    return True
