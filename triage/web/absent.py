"""What is not there, or no longer, as a page that says so."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.http import Http404

from triage.errors import NotFoundError


@contextmanager
def absent_as_404() -> Iterator[None]:
    """Answer a ``NotFoundError`` of the block with 404 and its message."""
    try:
        yield
    except NotFoundError as error:
        raise Http404(error.message) from None
