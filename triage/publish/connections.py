"""Which forge a repository is on, and how to reach it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from triage.models import GitHubRepository, Installation
from triage.publish.app import App, github_app
from triage.publish.forge import TokenForgeError
from triage.publish.github.access import RERUNNING, AppKey, forget_token, installation_client
from triage.publish.github.forge import GitHubForge
from triage.publish.github.people import Standing, read_standing
from triage.publish.github.workflows import GitHubWorkflows

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Connection:
    """A repository on GitHub whose installation is in force."""

    app: App
    installation: Installation
    full_name: str
    github_id: int

    @property
    def key(self) -> AppKey:
        """The App with its private key."""
        return self.app.key

    def forge(self) -> GitHubForge:
        """Return the repository as a forge."""
        client = installation_client(self.key, self.installation.github_id, self.github_id)
        return GitHubForge(client, self.full_name, self.app.app_id, self.app.slug)

    def standing_of(self, login: str) -> Standing:
        """Return what a person may do in the repository."""
        client = installation_client(self.key, self.installation.github_id, self.github_id)
        return read_standing(client, self.full_name, login)

    def workflows(self) -> GitHubWorkflows:
        """Return the repository's workflow runs, to be read."""
        client = installation_client(self.key, self.installation.github_id, self.github_id)
        return GitHubWorkflows(client, self.full_name)

    def rerunning(self) -> GitHubWorkflows:
        """Return the repository's workflow runs, to be re-run.

        Only here the App asks for the right to do so, which it may not have been granted.
        """
        client = installation_client(
            self.key, self.installation.github_id, self.github_id, RERUNNING
        )
        return GitHubWorkflows(client, self.full_name)

    def renewing(self, work: Callable[[], Answer]) -> Answer:
        """Do something with a token, and once more with a new one if GitHub does not take it.

        GitHub takes tokens back before their time, such as when an installation changes; ``work``
        reaches the repository by itself, and may be done twice.
        """
        try:
            return work()
        except TokenForgeError:
            self.forget_token()
            return work()

    def forget_token(self) -> None:
        """Fetch a new token next time."""
        forget_token(self.key, self.installation.github_id, self.github_id)


def connection_of(repository_id: int) -> Connection | None:
    """Return how a repository is reached; ``None`` when it is not, or no longer."""
    known = (
        GitHubRepository.objects.select_related("installation", "repository")
        .filter(repository_id=repository_id, removed_at__isnull=True)
        .first()
    )
    app = github_app() if known else None
    if known is None or app is None or not known.installation.is_active:
        return None
    return Connection(app, known.installation, known.full_name, known.github_id)
