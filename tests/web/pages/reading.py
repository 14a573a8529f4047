"""Read a page as a person without a browser would."""

from html import unescape

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext


def html(path: str) -> str:
    """Return a page's source; it must be there."""
    response = Client().get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def text(path: str) -> str:
    """Return a page's source with entities and no-break spaces resolved."""
    return unescape(html(path)).replace("\u00a0", " ")


def queries(path: str) -> int:
    """Return how many queries a page takes."""
    with CaptureQueriesContext(connection) as captured:
        html(path)
    return len(captured)
