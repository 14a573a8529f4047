"""The views that set the GitHub App up: for administrators of the installation alone."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from triage.access.audit import note
from triage.access.roles import require_administrator
from triage.errors import InvalidRequestError
from triage.models import GitHubRepository
from triage.publish.app import github_app
from triage.publish.app_entry import enter_by_hand, enter_made
from triage.publish.forge import ForgeError
from triage.publish.github.addresses import WEB, api_url_of
from triage.publish.github.manifest import manifest, new_app_url
from triage.publish.github.rights import PERMISSIONS
from triage.publish.installations import read_all
from triage.publish.remote_addresses import check_forge_address
from triage.publish.trial import send_trial
from triage.web import setup_states
from triage.web.forms.github_setup import BeginForm, EnterForm, default_name
from triage.web.pages.github_setup import setup_page
from triage.web.security import let_forms_go_to

View = Callable[[HttpRequest], HttpResponse]
BAD_REQUEST, BAD_GATEWAY = 400, 502


def for_administrators(view: View) -> View:
    """Let administrators of the installation pass; everybody else signs in or is refused."""

    @never_cache
    @login_required
    @wraps(view)
    def checked(request: HttpRequest) -> HttpResponse:
        require_administrator(request)
        return view(request)

    return checked


@for_administrators
@require_safe
def github(request: HttpRequest) -> HttpResponse:
    """Show the App, or the ways to have one."""
    return _page(request)


@for_administrators
@require_POST
def begin_app(request: HttpRequest) -> HttpResponse:
    """Show what GitHub will be asked to make, with the button that leads there."""
    form = BeginForm(request.POST)
    if not form.is_valid():
        return _page(request, status=BAD_REQUEST, begin_form=form)
    told = form.cleaned_data
    asked = _new_app(request, told["address"], told["organization"], told["name"])
    shown = {"asked": asked, "permissions": [each for each in PERMISSIONS if not each.is_optional]}
    response = render(request, "web/github_begin.html", shown)
    let_forms_go_to(response, told["address"])
    return response


@for_administrators
@require_safe
def app_made(request: HttpRequest) -> HttpResponse:
    """Take what GitHub sends back with, and lead on to where the App is installed."""
    begun = setup_states.end(request, request.GET.get("state", ""))
    if begun is None:
        return _page(
            request,
            "This answer of GitHub belongs to no set-up that was begun here in the last hour, or "
            "it was used before. Begin again below.",
            BAD_REQUEST,
        )
    try:
        if begun.web_url != WEB:
            check_forge_address(begun.web_url)
        install_url = enter_made(api_url_of(begun.web_url), request.GET.get("code", ""))
    except (ForgeError, InvalidRequestError) as error:
        return _page(request, f"The App could not be taken over. {error}", BAD_GATEWAY)
    note(request, "github_app_made", subject=str(github_app()))
    return redirect(install_url)


@sensitive_post_parameters("private_key", "webhook_secret", "client_secret")
@for_administrators
@require_POST
def enter_app(request: HttpRequest) -> HttpResponse:
    """Enter an App that exists, once GitHub recognises it, and read where it is installed."""
    form = EnterForm(request.POST)
    if not form.is_valid():
        return _page(request, status=BAD_REQUEST, enter_form=form)
    told = form.cleaned_data
    try:
        app = enter_by_hand(
            told["app_id"],
            told["private_key"],
            told["webhook_secret"],
            form.api_url,
            told["client_secret"],
        )
    except ForgeError as error:
        form.add_error(None, f"GitHub does not take this id with this key. {error}")
        return _page(request, status=BAD_REQUEST, enter_form=form)
    note(request, "github_app_entered", subject=str(app))
    return read_installations(request)


@for_administrators
@require_POST
def read_installations(request: HttpRequest) -> HttpResponse:
    """Read from GitHub where the App is installed."""
    app = github_app()
    try:
        found = read_all(app) if app else 0
    except ForgeError as error:
        return _page(request, f"The installations could not be read. {error}", BAD_GATEWAY)
    note(request, "github_installations_read", subject=f"{found} installations")
    return redirect("github-setup")


@for_administrators
@require_POST
def send_check(request: HttpRequest) -> HttpResponse:
    """Send a test check to a repository, and show what came of it."""
    number = request.POST.get("repository", "")
    known = get_object_or_404(GitHubRepository, pk=number if number.isdigit() else 0)
    name = known.repository.full_name
    try:
        trial = send_trial(known.repository_id)
    except ForgeError as error:
        return _page(request, f"No check could be published in {name}. {error}", BAD_GATEWAY)
    note(request, "github_check_tested", known.repository, name)
    return _page(request, trial=trial, tried=name)


def _page(request: HttpRequest, problem: str = "", status: int = 200, **shown: Any) -> HttpResponse:
    forms = {"begin_form": BeginForm(), "enter_form": EnterForm()}
    told = {
        "page": setup_page(),
        "problem": problem,
        "own": _new_app(request, WEB, "", default_name()),
    }
    response = render(request, "web/github_setup.html", {**told, **forms, **shown}, status=status)
    let_forms_go_to(response, WEB)
    return response


def _new_app(request: HttpRequest, web_url: str, organization: str, name: str) -> dict[str, str]:
    """Return the form that leads to GitHub, tied to this session."""
    state = setup_states.begin(request, web_url)
    return {
        "name": name,
        "owner": organization,
        "web_url": web_url,
        "action": new_app_url(web_url, organization, state),
        "manifest": json.dumps(manifest(name, settings.TIEBREAK_URL)),
    }
