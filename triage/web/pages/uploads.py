"""The uploads of a repository: what came, how far it has come, what went wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page
from django.db.models import Count, QuerySet
from django.http import QueryDict

from triage.models import Repository, Upload
from triage.terms import UploadState
from triage.web.presenters.badges import UPLOADS, Badge
from triage.web.presenters.filters import UploadFilter
from triage.web.presenters.pagination import page_of
from triage.web.presenters.upload_rows import UploadRow, upload_rows

UPLOADS_PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class StateCount:
    """How many uploads are in a state."""

    state: UploadState
    badge: Badge
    uploads: int


@dataclass(frozen=True, slots=True)
class UploadsPage:
    """What the list of uploads shows."""

    repository: Repository
    filter: UploadFilter
    counts: Sequence[StateCount]
    listed: Page[Upload]
    rows: Sequence[UploadRow]


def uploads_page(repository: Repository, parameters: QueryDict) -> UploadsPage:
    """Read the list of uploads, newest first; three queries, however many there are."""
    wanted = UploadFilter(parameters)
    listed = page_of(listed_uploads(repository, wanted), parameters, UPLOADS_PER_PAGE)
    return UploadsPage(
        repository=repository,
        filter=wanted,
        counts=_counts(repository),
        listed=listed,
        rows=upload_rows(list(listed)),
    )


def listed_uploads(repository: Repository, wanted: UploadFilter) -> QuerySet[Upload]:
    """Return the uploads of a repository that fit, newest first, without their import reports."""
    uploads = wanted.narrow(Upload.objects.filter(repository=repository))
    return (
        uploads.select_related("run", "part", "token")
        .only(
            *("state", "files", "attempts", "error", "received_at", "token__name", "part__name"),
            *("run__sha", "run__branch", "run__pr", "run__attempt"),
        )
        .order_by("-received_at", "-pk")
    )


def _counts(repository: Repository) -> list[StateCount]:
    found = Upload.objects.filter(repository=repository).values_list("state")
    counted = dict(found.annotate(uploads=Count("pk")).order_by())
    return [StateCount(state, UPLOADS[state], counted.get(state, 0)) for state in UploadState]
