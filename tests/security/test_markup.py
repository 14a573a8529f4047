"""Whatever CI, a model or a person writes is text in all that is shown of it, and never markup."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client
from django.urls import reverse

from tests.access.test_matrix import pages
from tests.flows.github import act_all, checks, comments
from tests.flows.knocks import existing, of_api
from tests.notifications.test_mail import smtp as smtp  # noqa: PLC0414
from tests.security.documents import (
    HERE,
    READERS,
    Reading,
    read_markdown,
    read_page,
    read_plain,
)
from tests.security.hostile_texts import OPENINGS, Hostile, fields_in
from tests.security.hostile_world import FLIP, WORDING, HostileWorld
from tests.servers.github.server import fake_github
from tests.servers.mail_receiver import receiving_mail
from tests.servers.receiver import receiving

pytestmark = pytest.mark.django_db(transaction=True)

MakeWorld = Callable[[str], HostileWorld]
# No page of ours: a file that is served as it is.
FILES = {"client-file", "client-checksum", "docs-image"}
NO_DOCUMENT = {HTTPStatus.FOUND, HTTPStatus.METHOD_NOT_ALLOWED}
# What every query of ours may hold, and no page minds.
PARAMETERS = (
    "q", "kind", "sort", "conclusion", "branch", "pr", "state", "page", "with", "group", "run",
    "action", "who", "problem", "next", "code", "label", "why", "days", "rate", "calls",
)  # fmt: skip
# Without these the pages were looked at in vain.
SHOWN = frozenset(
    {"asked", "branch", "class", "codeowner", "email", "email-name", "expected", "failure", "file"}
    | {"file-name", "host", "invited", "job", "left-out", "login", "message", "model", "name"}
    | {"model-asked", "mute-owner", "mute-reason", "observed", "person", "policy-key", "renamed"}
    | {"policy-owner", "provider", "run", "sent", "slack-name", "token", "webhook-name", "why"}
)
# What a browser says of a script or an image that it was kept from.
LOUD = {"error", "warning"}
HEADERS = {"Content-Type", "Content-Transfer-Encoding", "MIME-Version", "Subject", "From", "To"}
HEADERS |= {"Date", "Message-ID", "Auto-Submitted"}


@pytest.fixture
def make_world(smtp: Any, settings: Any) -> Iterator[MakeWorld]:
    """Return a function that makes the repository whose fields all begin with one attack."""
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    with fake_github() as github, receiving() as hooks, receiving_mail() as mails:
        smtp(mails.port)
        yield lambda opening: HostileWorld(Hostile(opening), github, hooks, mails)
        assert github.violations() == []


class Looking:
    """What was read so far: the fields that were shown, and all that was more than text."""

    def __init__(self) -> None:
        self.shown: set[str] = set()
        self.wrong: list[str] = []

    def at(self, path: str, answer: Any) -> Reading:
        """Read an answer by its kind; what its headers lack is wrong, too."""
        kind = answer.headers.get("Content-Type", "").partition(";")[0]
        if answer.status_code in NO_DOCUMENT:
            return Reading()
        body = answer.getvalue().decode()
        reading = read_page(path, body) if kind == "text/html" else READERS[kind](body)
        if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            reading.wrong.append(f"status {answer.status_code}")
        policy = answer.headers.get("Content-Security-Policy", "")
        if "default-src 'none'" not in policy or "unsafe" in policy:
            reading.wrong.append(f"policy {policy!r}")
        if answer.headers.get("X-Content-Type-Options") != "nosniff":
            reading.wrong.append("a type that a browser may guess anew")
        return self.note(path, reading)

    def note(self, place: str, reading: Reading) -> Reading:
        """Keep what a document showed."""
        self.shown |= fields_in(reading.text)
        self.wrong += [f"{place}: {each}" for each in reading.wrong]
        return reading


def addresses(world: HostileWorld) -> Iterator[str]:
    """Yield addresses of every page of the URL conf; of all tables and badges."""
    for route in pages():
        for place in world.places(route.name) if route.name not in FILES else ():
            yield reverse(route.name, kwargs={name: place[name] for name in route.parameters})


@contextmanager
def taken_back() -> Iterator[None]:
    """Take back whatever a request changes."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize("opening", ["script", "address", "formula"])
def test_pages_and_the_api_show_what_others_write_as_text(
    make_world: MakeWorld, opening: str
) -> None:
    world, looking = make_world(opening), Looking()
    forms = [looking.at(path, world.client.get(path)).forms for path in addresses(world)]
    asked = dict.fromkeys(PARAMETERS, world.hostile.name("asked"))
    names = {name for some in forms for form in some for name in form.fields}
    sent = dict.fromkeys(names, world.hostile.name("sent"))

    for path in addresses(world):
        looking.at(f"{path}?", world.client.get(path, asked))
        with taken_back():
            client = Client()
            client.force_login(world.person)
            looking.at(f"POST {path}", client.post(path, sent))
    for knock in of_api(existing()):
        with taken_back():
            looking.at(knock.path, knock.send(world.secret))

    assert len(names) > 20
    assert looking.wrong == []
    assert looking.shown >= SHOWN


@pytest.mark.parametrize("path", ["/r/{}/", "/docs/{}/", "/{}", "/api/v1/{}", "/api/v1/runs/{}"])
def test_an_address_that_leads_nowhere_is_repeated_as_text(path: str) -> None:
    looking = Looking()
    for opening in OPENINGS:
        where = path.format(quote(Hostile(opening).name("address")))
        looking.at(where, Client().get(where))

    assert looking.wrong == []


def test_a_check_and_a_comment_call_nobody_and_load_nothing(make_world: MakeWorld) -> None:
    world, looking = make_world("mention"), Looking()
    act_all()

    for check in checks(world.github):
        looking.note("title", read_plain(check["output"]["title"]))
        looking.note("summary", read_markdown(check["output"]["summary"]))
        for each in check.get("annotations") or ():
            looking.note("annotation", read_plain(f"{each['title']}\n{each['message']}"))
    for comment in comments(world.github):
        looking.note("comment", read_markdown(comment))
    answer = world.upload(21, WORDING, FLIP, accept="text/plain")
    looking.note("verdict", read_plain(answer.content.decode()))

    assert answer["Content-Type"].startswith("text/plain")
    assert looking.wrong == []
    assert looking.shown >= {"codeowner", "expected", "failure", "login", "name", "observed"}


def test_messages_to_channels_are_text_in_each_of_their_forms(make_world: MakeWorld) -> None:
    world, looking = make_world("mention"), Looking()
    in_rooms = [each.json for each in world.hooks.requests if "blocks" in each.json]

    for room in in_rooms:
        looking.note("room", read_plain(room["text"]))
        assert "@ev1l" not in room["text"]
        assert "](" not in room["text"]
        # Of the angle brackets only those of our own links are left.
        links = re.findall(r"<[^>]*>", room["text"])
        assert all(link.startswith(f"<{HERE}") for link in links)
        words = [each["text"] for each in room["blocks"] if each["type"] == "section"]
        assert {each["type"] for each in words} == {"plain_text"}
    for mail in world.mails.mails:
        looking.note("mail", read_plain(mail.get_content().replace("\r\n", "\n")))
        looking.note("subject", read_plain(mail["Subject"]))
        assert set(mail.keys()) <= HEADERS
        assert mail.get_content_type() == "text/plain"

    assert len(in_rooms) >= 3
    assert len(world.mails.mails) >= 3
    assert looking.wrong == []
    assert looking.shown >= {"class", "expected", "file", "name", "policy-owner", "provider"}


@pytest.mark.browser
def test_a_browser_runs_nothing_and_loads_nothing_of_what_others_write(
    make_world: MakeWorld, live_server: Any, browser_page: Any
) -> None:
    world, wrong = make_world("script"), []
    browser_page.on("dialog", lambda dialog: wrong.append(dialog.message) or dialog.dismiss())
    browser_page.on("console", lambda said: said.type in LOUD and wrong.append(said.text))
    browser_page.on("pageerror", lambda error: wrong.append(f"{browser_page.url} {error}"))
    browser_page.on("request", lambda asked: seen.add(urlsplit(asked.url).netloc))
    seen: set[str] = set()
    session = world.client.cookies[settings.SESSION_COOKIE_NAME].value
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}
    browser_page.context.add_cookies([cookie])
    visited = 0

    for path in addresses(world):
        answer = world.client.get(path)
        if answer.status_code == HTTPStatus.OK and answer["Content-Type"].startswith("text/html"):
            browser_page.goto(path, wait_until="load")
            visited += 1

    assert visited > 30
    assert wrong == []
    assert seen == {urlsplit(live_server.url).netloc}
