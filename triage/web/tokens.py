"""The views of a repository's tokens: made, given a new secret, ended."""

from dataclasses import dataclass

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from triage.access.audit import note
from triage.errors import TiebreakError
from triage.models import Repository, Token
from triage.terms import Role
from triage.upload.token_changes import revoke_token, rotate_token
from triage.upload.tokens import create_token
from triage.web.changing import who_asks
from triage.web.forms.token import HOUR, RotationForm, TokenForm
from triage.web.guarding import guarded
from triage.web.pages.tokens import tokens_page


@dataclass(frozen=True, slots=True)
class MadeSecret:
    """A secret that is shown this once, and the token that it belongs to."""

    secret: str
    name: str
    is_rotated: bool = False


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@guarded(Repository, read=Role.ADMIN)
def tokens(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show the tokens of a repository to its admins; POST makes one."""
    form = TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = _make(request, repository, form)
        if made:
            return _page(request, repository, TokenForm(), made)
    return _page(request, repository, form)


@never_cache
@require_POST
@guarded(Repository, read=Role.ADMIN)
def rotate(request: HttpRequest, repository: Repository, pk: int) -> HttpResponse:
    """Give a token a new secret and show it."""
    token, form = _token(repository, pk), RotationForm(request.POST)
    if not form.is_valid():
        return _page(request, repository, TokenForm(), problem="Choose one of the times offered.")
    try:
        secret = rotate_token(token, form.asked)
    except TiebreakError as error:
        return _page(request, repository, TokenForm(), problem=error.message)
    note(request, "token_rotated", repository, token.name, grace_hours=form.asked // HOUR)
    return _page(request, repository, TokenForm(), MadeSecret(secret, token.name, is_rotated=True))


@require_POST
@guarded(Repository, read=Role.ADMIN)
def revoke(request: HttpRequest, repository: Repository, pk: int) -> HttpResponse:
    """End a token at once."""
    token = _token(repository, pk)
    if revoke_token(token):
        note(request, "token_revoked", repository, token.name)
    return redirect(f"{reverse('tokens', args=[repository.full_name])}#tokens")


def _make(request: HttpRequest, repository: Repository, form: TokenForm) -> MadeSecret | None:
    name, scopes = form.cleaned_data["name"], form.cleaned_data["scopes"]
    try:
        secret = create_token(repository, name, scopes, form.expires_at, who_asks(request))
    except TiebreakError as error:
        form.add_error("name", error.message)
        return None
    note(request, "token_made", repository, name, scopes=scopes)
    return MadeSecret(secret, name)


def _page(
    request: HttpRequest,
    repository: Repository,
    form: forms.Form,
    made: MadeSecret | None = None,
    problem: str = "",
) -> HttpResponse:
    shown = {
        "page": tokens_page(repository, request.GET),
        "form": form,
        "rotation": RotationForm(auto_id=False),
        "made": made,
        "problem": problem,
    }
    status = 400 if problem or form.errors else 200
    return render(request, "web/tokens.html", shown, status=status)


def _token(repository: Repository, pk: int) -> Token:
    token = Token.objects.filter(repository=repository, pk=pk).first()
    if token is None:
        raise Http404("There is no such token in this repository.")
    return token
