"""The views that mute a case and end its mute."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from triage.access.audit import note
from triage.errors import InvalidRequestError, NotFoundError
from triage.models import Case
from triage.terms import Role
from triage.verdict.muting import end_mute, mute_case
from triage.web.changing import may_change, who_asks
from triage.web.forms.mute import MuteForm
from triage.web.guarding import guarded
from triage.web.pages.case import case_page


@require_POST
@guarded(Case, change=Role.DECIDER)
def mute(request: HttpRequest, case: Case) -> HttpResponse:
    """Mute a case, or show its page with what is wrong."""
    form = MuteForm(request.POST)
    if form.is_valid():
        try:
            mute_case(case, form.asked, who_asks(request))
        except InvalidRequestError as error:
            form.add_error(None, error.message)
        else:
            note(request, "muted", case.repository, case.title)
            return _back(case)
    shown = {
        "page": case_page(case),
        "mute_form": form,
        "may_change": may_change(request, case.repository, Role.DECIDER),
    }
    return render(request, "web/case.html", shown, status=400)


@require_POST
@guarded(Case, change=Role.DECIDER)
def unmute(request: HttpRequest, case: Case) -> HttpResponse:
    """End the mute of a case; one that has just ended by itself is fine too."""
    try:
        end_mute(case, who_asks(request))
    except NotFoundError:
        return _back(case)
    note(request, "unmuted", case.repository, case.title)
    return _back(case)


def _back(case: Case) -> HttpResponse:
    return redirect(f"{reverse('case', args=[case.pk])}#mute")
