"""Choose how the verdicts of a repository are shown; a token is tried before it is stored."""

from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from triage.errors import InvalidRequestError, UnreadableSecretError
from triage.models import ForgeSettings, Publication, Repository
from triage.publish.forge import ForgeError
from triage.publish.github.addresses import API, WEB, api_url_of, web_url_of
from triage.publish.outbox import try_again
from triage.publish.publishers import TOKEN_FORGES
from triage.publish.remote_addresses import check_forge_address
from triage.sealing import seal, unseal
from triage.terms import PublisherKind

GITLAB = "https://gitlab.com"
GITLAB_API = "/api/v4"


@dataclass(frozen=True, slots=True)
class PublisherRequest:
    """A publisher as somebody asks for it; what is empty is taken as usual."""

    kind: PublisherKind
    # Where the forge has its pages.
    address: str = ""
    # Its name there; empty: the same as here.
    project: str = ""
    # Empty: the one stored, as long as it goes to the same place.
    token: str = field(default="", repr=False)


def choose_publisher(repository: Repository, asked: PublisherRequest, who: str) -> ForgeSettings:
    """Store how verdicts are shown; raise ``InvalidRequestError`` with what is wrong or refused."""
    chosen = ForgeSettings(repository=repository, kind=asked.kind, changed_by=who)
    if asked.kind in TOKEN_FORGES:
        chosen.api_url = _api_url(asked)
        chosen.project = asked.project or repository.full_name
        token = asked.token or _stored_token(chosen)
        _prove(chosen, token)
        chosen.sealed_token = seal(token)
    with transaction.atomic():
        before = ForgeSettings.objects.select_for_update().filter(repository=repository).first()
        if before is None or _place(before) != _place(chosen):
            # What was made elsewhere is not there: all is looked for and made anew.
            Publication.objects.filter(repository=repository).update(remote_id=None, sent_digest="")
        told = ("kind", "api_url", "project", "sealed_token", "changed_by")
        stored, _ = ForgeSettings.objects.update_or_create(
            repository=repository,
            defaults={name: getattr(chosen, name) for name in told}
            | {"changed_at": timezone.now()},
        )
        # What the forge would not take with the token before.
        try_again(repository=repository)
    return stored


def address_of(chosen: ForgeSettings) -> str:
    """Return where a chosen forge has its pages; empty for a kind without a place."""
    if chosen.kind == PublisherKind.GITLAB:
        return chosen.api_url.removesuffix(GITLAB_API)
    return web_url_of(chosen.api_url) if chosen.api_url else ""


def _api_url(asked: PublisherRequest) -> str:
    """Return where the API is; github.com and gitlab.com need no look-up."""
    told = asked.address.strip().rstrip("/")
    if asked.kind is PublisherKind.GITLAB:
        if told.removesuffix(GITLAB_API) in {"", GITLAB}:
            return f"{GITLAB}{GITLAB_API}"
        return check_forge_address(told).removesuffix(GITLAB_API) + GITLAB_API
    return API if told in {"", WEB, API} else api_url_of(check_forge_address(told))


def _stored_token(chosen: ForgeSettings) -> str:
    """Return the token stored for the same place; another place must not be shown it."""
    before = ForgeSettings.objects.filter(repository=chosen.repository).first()
    if before is None or not before.sealed_token or _place(before) != _place(chosen):
        raise InvalidRequestError("a token is needed; one is kept only for the place it was for")
    try:
        return unseal(before.sealed_token)
    except UnreadableSecretError:
        raise InvalidRequestError("the stored token cannot be read; enter it again") from None


def _place(chosen: ForgeSettings) -> tuple[str, str, str]:
    return (str(chosen.kind), chosen.api_url, chosen.project)


def _prove(chosen: ForgeSettings, token: str) -> None:
    make, _ = TOKEN_FORGES[PublisherKind(chosen.kind)]
    try:
        make(chosen.api_url, chosen.project, token).prove()
    except ForgeError as error:
        raise InvalidRequestError(
            f"the token does not reach {chosen.project} at {chosen.api_url}. {error}"
        ) from None
