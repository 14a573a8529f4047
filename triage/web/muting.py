"""The views that mute a case and end its mute."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from triage.access.audit import note
from triage.errors import InvalidRequestError, NotFoundError
from triage.terms import Role
from triage.verdict.muting import end_mute, mute_case
from triage.web.changing import may_change, require_change, who_asks
from triage.web.forms.mute import MuteForm
from triage.web.pages.case import case_page


@require_POST
def mute(request: HttpRequest, pk: int) -> HttpResponse:
    """Mute a case, or show its page with what is wrong."""
    page = case_page(pk)
    require_change(request, page.case.repository, Role.DECIDER)
    form = MuteForm(request.POST)
    if form.is_valid():
        try:
            mute_case(page.case, form.asked, who_asks(request))
        except InvalidRequestError as error:
            form.add_error(None, error.message)
        else:
            note(request, "muted", page.case.repository, page.case.title)
            return _back(pk)
    shown = {
        "page": page,
        "mute_form": form,
        "may_change": may_change(request, page.case.repository, Role.DECIDER),
    }
    return render(request, "web/case.html", shown, status=400)


@require_POST
def unmute(request: HttpRequest, pk: int) -> HttpResponse:
    """End the mute of a case; one that has just ended by itself is fine too."""
    case = case_page(pk).case
    require_change(request, case.repository, Role.DECIDER)
    try:
        end_mute(case, who_asks(request))
    except NotFoundError:
        return _back(pk)
    note(request, "unmuted", case.repository, case.title)
    return _back(pk)


def _back(pk: int) -> HttpResponse:
    return redirect(f"{reverse('case', args=[pk])}#mute")
