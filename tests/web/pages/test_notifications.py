"""A repository's page of notifications."""

from collections.abc import Callable
from datetime import time
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.notifications.builders import emit_blocked, make_channel
from tests.servers.receiver import Reply, receiving
from tests.web.builders import REPO, make_repository
from tests.web.pages.reading import html, queries, text
from tests.web.people import member, sign_in_member
from triage.models import Channel, Delivery
from triage.notifications.starting import start_due
from triage.terms import ChannelKind, DeliveryState, Digest
from triage.web.pages.notifications import DELIVERIES_PER_PAGE

pytestmark = pytest.mark.django_db

PATH = f"/repositories/{REPO}/notifications/"
URL = "https://hooks.example/secret"
FORM = {
    "name": "pager",
    "kind": "webhook",
    "target": URL,
    "digest": "none",
    "time_zone": "UTC",
    "events": ["run_blocked"],
}


@pytest.fixture
def ada(settings: Any) -> Client:
    """A client of somebody who may change the repository."""
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "tests.web.people.signed_in_as_ada"]
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    return Client()


def test_a_repository_without_channels_says_that_nobody_is_told() -> None:
    make_repository()

    page = text(PATH)

    assert "Nobody is told yet" in page
    assert "Nothing was sent yet." in page
    assert f"tiebreak notify {REPO} add" in page


def test_channels_are_shown_with_their_rhythm_and_without_their_secrets() -> None:
    make_channel(make_repository(), URL, digest=Digest.DAILY, time_zone="Europe/Berlin")

    page = text(PATH)

    assert "https://hooks.example/…" in page
    assert "daily digest Europe/Berlin" in page
    assert "secret" not in page
    assert "whsec_" not in page


def test_messages_are_shown_newest_first_with_what_became_of_them(settings: Any) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    repository = make_repository()
    with receiving(Reply(200, b"thanks"), Reply(404, b"<b>no room</b>")) as receiver:
        make_channel(repository, receiver.url())
        emit_blocked(repository, key="1", headline="First.")
        start_due()
        emit_blocked(repository, key="2", headline="Second.")
        start_due()
        emit_blocked(repository, key="3", headline="Third.")

    page = text(PATH)

    assert page.index("Third.") < page.index("Second.") < page.index("First.")
    for words in ("waiting", "failed", "sent", "answered 404", "Answer: ", "thanks"):
        assert words in page
    assert "<b>no room" not in html(PATH)


def test_long_lists_have_pages_and_the_same_number_of_queries() -> None:
    repository = make_repository()
    make_channel(repository, URL)
    emit_blocked(repository, key="first")
    few = queries(PATH)
    for number in range(DELIVERIES_PER_PAGE):
        emit_blocked(repository, key=str(number))

    assert queries(PATH) == few == 9
    assert "Page 2 of 2 (26 messages)" in text(f"{PATH}?page=2")


def test_a_repository_that_is_not_there_is_named() -> None:
    response = member().get("/repositories/acme/nowhere/notifications/")

    assert response.status_code == 404
    assert "There is no repository “acme/nowhere” here" in response.content.decode()


def test_whoever_is_no_admin_can_change_nothing() -> None:
    repository = make_repository()
    channel = make_channel(repository, URL)
    emit_blocked(repository)
    Delivery.objects.update(state=DeliveryState.FAILED)
    paths = [
        PATH,
        f"{PATH}channels/{channel.pk}/test/",
        f"{PATH}channels/{channel.pk}/remove/",
        f"{PATH}messages/{Delivery.objects.get().pk}/again/",
    ]

    for who, status in ((Client(), 302), (member(), 403)):
        assert [who.post(path, FORM).status_code for path in paths] == [status] * 4
    assert "Sign in as an admin of this repository to change channels" in text(PATH)
    assert html(PATH).count('method="post"') == 1, "more than the one of signing out"
    assert Channel.objects.get().removed_at is None
    assert Delivery.objects.get().state == DeliveryState.FAILED


def test_a_channel_is_added_and_its_secret_is_shown_this_once(ada: Client) -> None:
    make_repository()

    added = ada.post(PATH, FORM)

    assert added.status_code == 200
    assert added["Cache-Control"] == "no-store"
    assert "whsec_" in added.content.decode()
    assert "whsec_" not in ada.get(PATH).content.decode()
    channel = Channel.objects.get()
    assert (channel.name, channel.events, channel.added_by) == ("pager", ["run_blocked"], "ada")


def test_a_chat_room_has_nothing_to_show_once(ada: Client) -> None:
    make_repository()

    added = ada.post(PATH, FORM | {"kind": "slack"})

    assert (added.status_code, added["Location"]) == (302, f"{PATH}#channels")
    assert Channel.objects.get().kind == ChannelKind.SLACK


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ({"target": "ftp://a.example"}, "the URL must be http:// or https://"),
        ({"target": ""}, "This field is required."),
        ({"quiet_from": "22:00"}, "Quiet hours need a beginning and an end."),
        ({"quiet_from": "7:00", "quiet_until": "7:00"}, "must end at another time"),
        ({"time_zone": "Mars"}, "IANA name such as Europe/Berlin"),
        ({"events": ["nonsense"]}, "nonsense is not one of the available choices"),
        ({"kind": "pigeon"}, "pigeon is not one of the available choices"),
    ],
)
def test_what_is_wrong_with_a_form_is_said_and_what_was_typed_is_kept(
    ada: Client, told: dict[str, Any], problem: str
) -> None:
    make_repository()

    answer = ada.post(PATH, FORM | told)

    assert answer.status_code == 400
    assert problem in answer.content.decode()
    assert 'value="pager"' in answer.content.decode()
    assert not Channel.objects.exists()


def test_a_test_message_is_sent_and_a_failed_one_sent_again(
    ada: Client, django_capture_on_commit_callbacks: Any
) -> None:
    repository = make_repository()
    with receiving(Reply(404)) as receiver:
        channel = make_channel(repository, receiver.url())
        with django_capture_on_commit_callbacks(execute=True):
            ada.post(f"{PATH}channels/{channel.pk}/test/")
        failed = Delivery.objects.get()
        assert failed.state == DeliveryState.FAILED
        with django_capture_on_commit_callbacks(execute=True):
            answer = ada.post(f"{PATH}messages/{failed.pk}/again/")

    assert answer["Location"] == f"{PATH}#sent"
    failed.refresh_from_db()
    assert failed.state == DeliveryState.SENT
    assert "ada asked whether this channel works" in receiver.requests[0].body.decode()


def test_a_channel_is_removed_and_its_messages_stay_listed(ada: Client) -> None:
    repository = make_repository()
    channel = make_channel(repository, URL)
    emit_blocked(repository)

    ada.post(f"{PATH}channels/{channel.pk}/remove/")

    page = ada.get(PATH).content.decode()
    assert "Nobody is told yet" in page
    assert "removed" in page


def test_a_channel_and_a_message_of_another_repository_are_not_there(ada: Client) -> None:
    make_repository()
    theirs = make_repository("other/bot")
    channel = make_channel(theirs, URL)
    emit_blocked(theirs)
    paths = (
        f"{PATH}channels/{channel.pk}/test/",
        f"{PATH}channels/{channel.pk}/remove/",
        f"{PATH}messages/{Delivery.objects.get().pk}/again/",
    )

    assert [ada.post(path).status_code for path in paths] == [404] * 3
    assert Channel.objects.get().removed_at is None


@pytest.mark.parametrize("path", ["channels/1/test/", "channels/1/remove/"])
def test_nothing_changes_by_following_a_link(ada: Client, path: str) -> None:
    make_repository()

    assert ada.get(PATH + path).status_code == 405


def test_a_form_from_elsewhere_is_refused(ada: Client) -> None:
    make_repository()

    assert Client(enforce_csrf_checks=True).post(PATH, FORM).status_code == 403
    assert not Channel.objects.exists()


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 1440])
def test_a_browser_shows_the_page_whole_at_every_width(
    live_server: Any,
    settings: Any,
    browser_page: Any,
    take_screenshot: Callable[[str], Path],
    width: int,
) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    repository = make_repository()
    with receiving(Reply(200), Reply(404, b"no such room")) as receiver:
        night = (time(22), time(7))
        make_channel(repository, receiver.url(), name="every branch", tells_all_branches=True)
        make_channel(repository, URL, name="room", quiet=night, time_zone="Pacific/Kiritimati")
        for number in range(3):
            emit_blocked(repository, key=str(number))
    browser_page.set_viewport_size({"width": width, "height": 900})
    wrong: list[str] = []
    browser_page.on("console", lambda message: wrong.append(message.text))

    sign_in_member(browser_page, live_server.url)
    browser_page.goto(f"/r/{REPO}/")
    browser_page.get_by_role("link", name="Settings").click()
    browser_page.get_by_role("link", name="Notifications").click()

    browser_page.wait_for_url(f"**{PATH}")
    assert "Run blocked" in browser_page.inner_text("main")
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= width
    assert wrong == []
    assert take_screenshot(f"notifications-{width}").stat().st_size > 10_000
