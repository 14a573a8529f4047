"""The views of accounts: sign in, sign out, take an invitation."""

from django.contrib.auth import authenticate, login, logout
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from triage.access.audit import address_of, note
from triage.access.invitations import accept, accept_as, account_of, find_invitation
from triage.access.renewing import expect_renewal
from triage.access.throttle import WINDOW, is_throttled, note_failure
from triage.models import Invitation
from triage.web.absent import absent_as_404
from triage.web.forms.account import InvitationForm, SignInForm
from triage.web.github_provider import sign_in_app
from triage.web.github_signing_in import PROBLEMS
from triage.web.guarding import way_on


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Ask for name and password, and go back to where the person came from."""
    form = SignInForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return _try(request, form)
    return _sign_in_page(request, form, 200)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session."""
    logout(request)
    return redirect("home")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@absent_as_404()
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Let a person who was invited choose a password."""
    invited = find_invitation(secret)
    account = account_of(invited)
    if account is not None:
        return _take_up(request, secret, invited, account)
    form = InvitationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            user = accept(secret, form.cleaned_data["password"])
        except ValidationError as error:
            form.add_error("password", error)
        else:
            login(request, user)
            note(request, "account_made", invited.repository, user.get_username())
            return redirect("home")
    status = 400 if form.errors else 200
    shown = {"form": form, "invited": invited}
    return render(request, "access/invitation.html", shown, status=status)


def _take_up(request: HttpRequest, secret: str, invited: Invitation, account: User) -> HttpResponse:
    """Answer for an invitation whose name has an account by now: only that person takes it up."""
    is_own = request.user.pk == account.pk
    if request.method == "POST" and is_own:
        accept_as(secret, account)
        note(request, "invitation_taken_up", invited.repository, account.get_username())
        return redirect("home")
    shown = {"invited": invited, "has_account": True, "is_own": is_own}
    status = 403 if request.method == "POST" else 200
    return render(request, "access/invitation.html", shown, status=status)


def _try(request: HttpRequest, form: SignInForm) -> HttpResponse:
    name, address = form.cleaned_data["name"], address_of(request)
    if is_throttled(name, address):
        minutes = WINDOW.seconds // 60
        form.add_error(None, f"Too many attempts failed. Wait {minutes} minutes, then try again.")
        return _sign_in_page(request, form, 429)
    user = authenticate(request, username=name, password=form.cleaned_data["password"])
    if user is None:
        note_failure(name, address)
        form.add_error(None, "Name and password do not fit together.")
        return _sign_in_page(request, form, 400)
    login(request, user)
    expect_renewal(request)
    note(request, "signed_in")
    return redirect(way_on(request))


def _sign_in_page(request: HttpRequest, form: SignInForm, status: int) -> HttpResponse:
    shown = {
        "form": form,
        "next": way_on(request),
        "with_github": sign_in_app() is not None,
        "problem": PROBLEMS.get(request.GET.get("problem", ""), ""),
    }
    return render(request, "access/sign_in.html", shown, status=status)
