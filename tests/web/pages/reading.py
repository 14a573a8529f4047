"""Read a page as a person without a browser would."""

from html import unescape

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.web.people import member


def html(path: str, client: Client | None = None) -> str:
    """Return a page's source as a member sees it; it must be there."""
    response = (client or member()).get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def text(path: str) -> str:
    """Return a page's source with entities and no-break spaces resolved."""
    return unescape(html(path)).replace("\u00a0", " ")


def queries(path: str) -> int:
    """Return how many queries a page takes, those of finding out who asks among them."""
    client = member()
    with CaptureQueriesContext(connection) as captured:
        html(path, client)
    return len(captured)
