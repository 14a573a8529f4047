"""A repository's page of publishing: by what verdicts are shown, and what came of the last ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from triage.models import ForgeSettings, GitHubRepository, Publication, Repository
from triage.publish.app import github_app
from triage.publish.connections import connection_of
from triage.terms import PublicationState, PublisherKind
from triage.web.forms.publisher import KINDS
from triage.web.presenters.badges import Badge, Tone

PUBLICATIONS_SHOWN = 20
STATES = {
    PublicationState.WAITING: Badge("waits", "waiting", Tone.NEUTRAL),
    PublicationState.DONE: Badge("shown", "passed", Tone.QUIET),
    PublicationState.FAILED: Badge("refused", "blocked", Tone.BAD),
    PublicationState.DROPPED: Badge("dropped", "skipped", Tone.QUIET),
}


@dataclass(frozen=True, slots=True)
class PublicationRow:
    """One thing on the forge, and how far it has come."""

    publication: Publication
    badge: Badge

    @property
    def is_refused(self) -> bool:
        """Whether somebody has to do something about it."""
        return self.publication.state == PublicationState.FAILED


@dataclass(frozen=True, slots=True)
class PublishingPage:
    """What the page shows."""

    repository: Repository
    chosen: ForgeSettings | None
    kind: str
    # Whether check runs are chosen and no App reaches the repository.
    lacks_app: bool
    has_app: bool
    # What GitHub calls it, where another repository here has that name.
    name_on_forge: str
    rows: Sequence[PublicationRow]


def publishing_page(repository: Repository) -> PublishingPage:
    """Read the page; no forge is asked."""
    chosen = ForgeSettings.objects.filter(repository=repository).first()
    kind = PublisherKind(chosen.kind) if chosen else PublisherKind.GITHUB_CHECKS
    is_app = kind is PublisherKind.GITHUB_CHECKS
    newest = Publication.objects.filter(repository=repository).order_by("-changed_at", "-pk")
    return PublishingPage(
        repository=repository,
        chosen=chosen,
        kind=KINDS[kind],
        lacks_app=is_app and connection_of(repository.pk) is None,
        has_app=github_app() is not None,
        name_on_forge=_name_on_forge(repository),
        rows=[
            PublicationRow(each, STATES[PublicationState(each.state)])
            for each in newest[:PUBLICATIONS_SHOWN]
        ],
    )


def _name_on_forge(repository: Repository) -> str:
    known = GitHubRepository.objects.filter(repository=repository).first()
    return known.name_on_forge if known else ""
