"""One page of a list, and what every list says of its pages."""

from collections.abc import Sequence
from typing import Annotated, Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from ninja import Query

from triage.errors import NotFoundError
from triage.models import Repository

LARGEST_PAGE = 200
PageNumber = Annotated[int, Query(1, ge=1, le=1_000_000, description="Page, from 1.")]
PageSize = Annotated[int, Query(50, ge=1, le=LARGEST_PAGE, description="Entries per page.")]


def page_of(entries: "QuerySet[Any] | Sequence[Any]", number: int, size: int) -> "Page[Any]":
    """Return one page; raise ``NotFoundError`` past the last one. The first may be empty."""
    paginator = Paginator(entries, size)
    if number > paginator.num_pages:
        raise NotFoundError(f"there is no page {number}; the last one is {paginator.num_pages}")
    return paginator.page(number)


def told(repository: Repository, page: "Page[Any]") -> dict[str, Any]:
    """Return what every list says of itself."""
    return {
        "repo": repository.full_name,
        "page": page.number,
        "pages": page.paginator.num_pages,
        "total": page.paginator.count,
    }
