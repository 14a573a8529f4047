"""The views of a person's own account: who they are here, and their GitHub account."""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from triage.access.audit import note
from triage.access.following_forge import follow_all
from triage.access.github_accounts import disconnect, person_of
from triage.access.members import roles_of
from triage.errors import InvalidRequestError
from triage.web.github_provider import sign_in_app
from triage.web.github_signing_in import PROBLEMS
from triage.web.guarding import ask_to_sign_in

BAD_REQUEST = 400


@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Show who is signed in, and what of GitHub is connected."""
    return _page(request, PROBLEMS.get(request.GET.get("problem", ""), ""))


@require_POST
def disconnect_github(request: HttpRequest) -> HttpResponse:
    """Untie the GitHub account."""
    if not isinstance(request.user, User):
        return ask_to_sign_in(request)
    try:
        gone = disconnect(request.user)
    except InvalidRequestError as error:
        return _page(request, f"{error.message[:1].upper()}{error.message[1:]}.", BAD_REQUEST)
    if gone is not None:
        follow_all(request.user, {})
        note(request, "github_disconnected", subject=gone.login)
    return redirect("account")


def _page(request: HttpRequest, problem: str = "", status: int = 200) -> HttpResponse:
    if not isinstance(request.user, User):
        return ask_to_sign_in(request)
    shown = {
        "github": person_of(request.user),
        "can_connect": sign_in_app() is not None,
        "roles": roles_of(request.user),
        "problem": problem,
    }
    return render(request, "access/account.html", shown, status=status)
