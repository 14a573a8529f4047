"""The GitHub App of this installation: read here, whether from the environment or as stored."""

from dataclasses import dataclass, field

from django.conf import settings

from triage.errors import UnreadableSecretError
from triage.models import GitHubApp
from triage.publish.forge import TemporaryForgeError
from triage.publish.github.access import AppKey
from triage.publish.github.addresses import web_url_of
from triage.sealing import unseal


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret as it is at hand: decrypted only by whoever needs it."""

    plain: str = field(default="", repr=False)
    sealed: str = field(default="", repr=False)

    def read(self) -> str:
        """Return the secret; raise ``UnreadableSecretError`` when no key decrypts it."""
        return self.plain or unseal(self.sealed)


@dataclass(frozen=True, slots=True)
class App:
    """The App with its secrets."""

    app_id: int
    slug: str
    api_url: str
    html_url: str
    private_key: Secret
    webhook_secret: Secret
    # As which GitHub knows the App when a person signs in by it; empty where that is not known.
    client_id: str
    client_secret: Secret
    # Whether the environment names it; then nothing that is stored counts.
    is_from_environment: bool

    def __str__(self) -> str:
        return f"{self.slug} ({self.app_id})"

    @property
    def lets_sign_in(self) -> bool:
        """Whether people can sign in with GitHub by it."""
        return bool(self.client_id and (self.client_secret.plain or self.client_secret.sealed))

    @property
    def key(self) -> AppKey:
        """The App with its private key, which may be readable again once a key is put back."""
        try:
            private_key = self.private_key.read()
        except UnreadableSecretError as error:
            raise TemporaryForgeError(str(error)) from error
        return AppKey(self.app_id, private_key, self.api_url)


def github_app() -> App | None:
    """Return the App; the environment's, where it is set, else the one stored; one query."""
    if settings.GITHUB_APP_ID:
        return _from_environment()
    stored = GitHubApp.objects.order_by("-created_at").first()
    return _from_row(stored) if stored else None


def _from_environment() -> App:
    return App(
        app_id=settings.GITHUB_APP_ID,
        slug=settings.GITHUB_APP_SLUG,
        api_url=settings.GITHUB_API_URL,
        html_url=web_url_of(settings.GITHUB_API_URL),
        private_key=Secret(plain=settings.GITHUB_PRIVATE_KEY),
        webhook_secret=Secret(plain=settings.GITHUB_WEBHOOK_SECRET),
        client_id=settings.GITHUB_CLIENT_ID,
        client_secret=Secret(plain=settings.GITHUB_CLIENT_SECRET),
        is_from_environment=True,
    )


def _from_row(stored: GitHubApp) -> App:
    is_told = bool(settings.GITHUB_CLIENT_ID)
    secret = (
        Secret(plain=settings.GITHUB_CLIENT_SECRET)
        if is_told
        else Secret(sealed=stored.sealed_client_secret)
    )
    return App(
        app_id=stored.app_id,
        slug=stored.slug,
        api_url=stored.api_url,
        html_url=stored.html_url,
        private_key=Secret(sealed=stored.sealed_private_key),
        webhook_secret=Secret(sealed=stored.sealed_webhook_secret),
        client_id=settings.GITHUB_CLIENT_ID if is_told else stored.client_id,
        client_secret=secret,
        is_from_environment=False,
    )
