"""Who shows the verdicts of a repository: what a person chose for it, else the GitHub App."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from triage.errors import UnreadableSecretError
from triage.models import ForgeSettings
from triage.publish.connections import Connection, connection_of
from triage.publish.forge import Forge, Shown, TemporaryForgeError
from triage.publish.github.access import token_client
from triage.publish.github.status_forge import GitHubStatusForge
from triage.publish.gitlab.client import GitLabClient
from triage.publish.gitlab.forge import GitLabForge
from triage.publish.pacing import GITHUB_PAUSES, GITLAB_PAUSES, Paced, Pauses
from triage.sealing import unseal
from triage.terms import PublisherKind


class Publisher(Protocol):
    """Something that shows verdicts, in its own rhythm."""

    @property
    def paced(self) -> Paced:
        """Whose writes are counted together."""

    @property
    def pauses(self) -> Pauses:
        """How long to wait after each kind of write."""

    @property
    def remedy(self) -> str:
        """What a person does when the forge does not take the token."""

    def show(self, work: Callable[[Forge], Shown]) -> Shown:
        """Show something on the repository's forge; raise ``ForgeError`` if it is not taken."""


@dataclass(frozen=True, slots=True)
class AppPublisher:
    """Check runs, by the GitHub App."""

    connection: Connection

    @property
    def pauses(self) -> Pauses:
        """GitHub's rhythm."""
        return GITHUB_PAUSES

    @property
    def paced(self) -> Paced:
        """The installation."""
        return self.connection.installation

    @property
    def remedy(self) -> str:
        """Where the App's key is entered."""
        return "enter the App's private key anew on /setup/github/"

    def show(self, work: Callable[[Forge], Shown]) -> Shown:
        """Show something on GitHub, with a new token if the one at hand is not taken."""
        return self.connection.renewing(lambda: work(self.connection.forge()))


TokenForge = GitHubStatusForge | GitLabForge
MakeForge = Callable[[str, str, str], TokenForge]


def _github_status(api_url: str, project: str, token: str) -> TokenForge:
    return GitHubStatusForge(token_client(token, api_url), project)


def _gitlab(api_url: str, project: str, token: str) -> TokenForge:
    return GitLabForge(GitLabClient(api_url, project, token))


TOKEN_FORGES: dict[PublisherKind, tuple[MakeForge, Pauses]] = {
    PublisherKind.GITHUB_STATUS: (_github_status, GITHUB_PAUSES),
    PublisherKind.GITLAB: (_gitlab, GITLAB_PAUSES),
}


@dataclass(frozen=True, slots=True)
class TokenPublisher:
    """Commit statuses, with a token that a person entered for the repository."""

    paced: ForgeSettings

    @property
    def pauses(self) -> Pauses:
        """The rhythm that its forge asks for."""
        return TOKEN_FORGES[PublisherKind(self.paced.kind)][1]

    @property
    def remedy(self) -> str:
        """Where the token is entered."""
        return "enter a new token on the repository's page of publishing"

    def show(self, work: Callable[[Forge], Shown]) -> Shown:
        """Show something on the repository's forge."""
        return work(self._forge())

    def _forge(self) -> TokenForge:
        try:
            token = unseal(self.paced.sealed_token)
        except UnreadableSecretError as error:
            raise TemporaryForgeError(str(error)) from error
        make, _ = TOKEN_FORGES[PublisherKind(self.paced.kind)]
        return make(self.paced.api_url, self.paced.project, token)


def publisher_of(repository_id: int) -> Publisher | None:
    """Return who shows the verdicts of a repository; ``None`` where nobody does."""
    chosen = ForgeSettings.objects.filter(repository_id=repository_id).first()
    kind = PublisherKind(chosen.kind) if chosen else PublisherKind.GITHUB_CHECKS
    if chosen and kind in TOKEN_FORGES:
        return TokenPublisher(chosen)
    connection = connection_of(repository_id) if kind is PublisherKind.GITHUB_CHECKS else None
    return AppPublisher(connection) if connection else None
