"""A person's browser on the way to our own GitHub and back."""

import re
from html import unescape
from urllib.parse import urlsplit

import requests
from django.http import HttpResponse
from django.test import Client

from tests.servers.github.world import World

BEGIN = "/sign-in/github/"
OCTO = 583_231


def be(world: World, login: str = "octo", number: int = OCTO, email: str | None = None) -> None:
    """Let somebody sit before the browser, signed in on GitHub."""
    world.accounts[login] = (number, email)
    world.at_browser = login


def begin(client: Client, way_back: str = "/", query: str = "") -> str:
    """Press the button; return the address that leads on to GitHub."""
    page = client.post(f"{BEGIN}{query}", {"next": way_back}).content.decode()
    found = re.search(r'<a href="([^"]+/login/oauth/[^"]+)"', page)
    assert found, page
    return unescape(found[1])


def consent(client: Client, way_back: str = "/") -> str:
    """Press the button and answer GitHub; return the path that it leads back to."""
    answer = requests.get(begin(client, way_back), allow_redirects=False, timeout=10)
    back = urlsplit(answer.headers["Location"])
    return f"{back.path}?{back.query}"


def sign_in(client: Client, way_back: str = "/") -> HttpResponse:
    """Go the whole way; return the last answer."""
    return client.get(consent(client, way_back))


def problem(client: Client, answer: HttpResponse) -> str:
    """Return what a page says went wrong, to which an answer leads."""
    page = client.get(answer["Location"]).content.decode()
    found = re.search(r'role="alert">.*?<span>(.*?)</span>', page)
    return unescape(found[1]) if found else ""
