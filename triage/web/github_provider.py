"""The exchange with GitHub, as the library does it: with which App, on which GitHub, for what."""

from typing import Any

from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.github.provider import GitHubProvider
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest

from triage.publish.app import App, github_app
from triage.publish.github.manifest import SIGN_IN_CALLBACK


def sign_in_app() -> App | None:
    """Return the App by which people sign in; ``None`` where that is not set up; one query."""
    app = github_app()
    return app if app is not None and app.lets_sign_in else None


class Exchange(GitHubOAuth2Adapter):  # type: ignore[misc]  # The library has no types.
    """Where the App's GitHub has its addresses."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        app = sign_in_app()
        if app is not None:
            self.authorize_url = f"{app.html_url}/login/oauth/authorize"
            self.access_token_url = f"{app.html_url}/login/oauth/access_token"
            self.profile_url = f"{app.api_url}/user"

    def get_callback_url(self, request: HttpRequest, app: Any) -> str:
        """Return the address that GitHub knows, whatever a proxy makes of the request's."""
        return f"{settings.TIEBREAK_URL}{SIGN_IN_CALLBACK}"


class Provider(GitHubProvider):  # type: ignore[misc]  # The library has no types.
    """What is asked of GitHub and kept: number and name, no e-mail address, no profile."""

    oauth2_adapter_class = Exchange

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        """Leave out the address: accounts are tied by number alone."""
        return {"username": data["login"]}

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """Keep the name alone."""
        return {"login": data["login"]}


def make_provider(request: HttpRequest, app: App) -> Provider:
    """Return the exchange for an App."""
    # The site stands beside each number, since an Enterprise Server has the same ones.
    made = SocialApp(
        provider=Provider.id,
        provider_id=app.html_url,
        client_id=app.client_id,
        secret=app.client_secret.read(),
        settings={"oauth_pkce_enabled": True},
    )
    return Provider(request, app=made)
