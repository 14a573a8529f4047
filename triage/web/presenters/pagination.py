"""Pages of a list, with a page number from the URL that may be anything."""

from typing import TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import QueryDict

Row = TypeVar("Row", bound=Model)


def page_of(rows: QuerySet[Row], parameters: QueryDict, size: int) -> Page[Row]:
    """Return the page that ``?page=`` asks for.

    Anything that is no number is the first page, anything past the end the last one: a copied
    link stays good when the list gets shorter.
    """
    return Paginator(rows, size).get_page(parameters.get("page"))
