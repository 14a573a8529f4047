"""The views of signing in with GitHub: lead there, and take what GitHub leads back with."""

from typing import Any
from urllib.parse import urlencode

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.providers.base.constants import AuthError, AuthProcess
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from requests import RequestException

from triage.access.github_accounts import GitHubPerson
from triage.errors import UnreadableSecretError
from triage.web.github_arriving import connect_account, sign_in
from triage.web.github_provider import Exchange, Provider, make_provider, sign_in_app
from triage.web.guarding import way_on

# What went wrong, by the word that leads back to the page; nobody else's text is ever shown.
PROBLEMS = {
    "off": "Signing in with GitHub is not set up here.",
    "unreadable": "Signing in with GitHub does not work: the App's client secret cannot be read. "
    "An administrator enters it again.",
    "denied": "GitHub says that you did not agree. Nothing was changed.",
    "state": "This answer of GitHub belongs to no sign-in that was begun in this browser within "
    "the last ten minutes, or it was used before. Try again.",
    "refused": "GitHub refused. An administrator has to look whether the App's page on GitHub "
    "names this server's callback URL.",
    "unconfirmed": "GitHub did not confirm who you are: its answer was used before or is too old, "
    "or the App's client secret is wrong. Try again.",
    "down": "GitHub cannot be reached at the moment. Try again later, or use a password.",
    "unknown": "No account here is connected with this GitHub account, and on GitHub it may read "
    "no repository that this server knows. Ask an admin of your repository to let you in; if you "
    "have an account here, sign in with its password and connect GitHub on its page.",
    "lapsed": "GitHub has not confirmed your roles for more than a day, so that they do not count "
    "now. It is being asked; come back in a minute, or go on with GitHub here.",
    "closed": "Your account here is shut out. Ask an admin of your repository.",
    "taken": "This GitHub account is connected with another account here, or yours with another "
    "GitHub account. Disconnect that one first.",
}


@never_cache
@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """Lead to GitHub: to sign in, or to connect the account of whoever is signed in."""
    app = sign_in_app()
    connecting = request.user.is_authenticated
    if app is None:
        return _back("off", connecting=connecting)
    try:
        provider = make_provider(request, app)
    except UnreadableSecretError:
        return _back("unreadable", connecting=connecting)
    process = AuthProcess.CONNECT if connecting else AuthProcess.LOGIN
    address = provider.redirect(request, process, next_url=way_on(request)).url
    # A page in between, since a form may lead to this server alone, and GitHub may send on to an
    # organisation's own sign-in.
    return render(request, "access/to_github.html", {"address": address})


@never_cache
@require_GET
def come_back(request: HttpRequest) -> HttpResponse:
    """Take what GitHub leads a person back with."""
    if sign_in_app() is None:
        return _back("off", connecting=request.user.is_authenticated)
    response: HttpResponse = _exchange(request)
    return response


_exchange = OAuth2CallbackView.adapter_view(Exchange)


class SignInAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # It has no types.
    """What becomes of an exchange is decided here, not by the library."""

    def get_provider(self, request: HttpRequest, provider: str, client_id: Any = None) -> Provider:
        """Return the exchange with the App's GitHub."""
        app = sign_in_app()
        if app is None:
            raise ImmediateHttpResponse(_back("off", connecting=request.user.is_authenticated))
        try:
            return make_provider(request, app)
        except UnreadableSecretError:
            raise ImmediateHttpResponse(
                _back("unreadable", connecting=request.user.is_authenticated)
            ) from None

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Provider,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        """Lead back to the page from where the person came, with what went wrong."""
        state = (extra_context or {}).get("state")
        problem = _problem_of(error, exception, has_state=state is not None)
        connecting = request.user.is_authenticated
        answer = _back(problem, connecting=connecting, way_back=(state or {}).get("next", ""))
        raise ImmediateHttpResponse(answer)

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Let the person in, or connect the account; the library goes no further."""
        told = sociallogin.account
        person = GitHubPerson(told.provider, told.uid, told.extra_data["login"])
        connecting = sociallogin.state["process"] == AuthProcess.CONNECT
        way_back = sociallogin.state.get("next", "/")
        work = connect_account if connecting else sign_in
        problem = work(request, person, sociallogin.token.token)
        if problem:
            answer = _back(problem, connecting=connecting, way_back=way_back)
        else:
            answer = redirect("account" if connecting and way_back == "/" else way_back)
        raise ImmediateHttpResponse(answer)


def _problem_of(error: str | None, exception: Exception | None, *, has_state: bool) -> str:
    if not has_state:
        return "state"
    if isinstance(exception, RequestException):
        return "down"
    if exception is not None:
        return "unconfirmed"
    return "denied" if error == AuthError.CANCELLED else "refused"


def _back(problem: str, *, connecting: bool, way_back: str = "") -> HttpResponse:
    told = {"problem": problem, "next": way_back}
    query = urlencode({name: value for name, value in told.items() if value})
    return redirect(f"{reverse('account' if connecting else 'sign-in')}?{query}")
