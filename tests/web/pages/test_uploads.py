"""The uploads of a repository."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from tests.web.builders import AT, REPO, make_part, make_repository, make_run, make_upload
from tests.web.pages.reading import html, queries, text
from tests.web.people import member, sign_in_member
from triage.models import Repository, Token, Upload
from triage.terms import UploadState
from triage.upload.tokens import create_token
from triage.web.pages.uploads import UPLOADS_PER_PAGE
from triage.web.presenters.upload_rows import MOST_CHARACTERS

pytestmark = pytest.mark.django_db

PATH = f"/repositories/{REPO}/uploads/"
ERROR = "FileNotFoundError: acme/ab is not in the storage\nTraceback"


def make_uploads(count: int = 1, **fields: Any) -> list[Upload]:
    """Make uploads of one part, one minute after the other."""
    repository = Repository.objects.filter(full_name=REPO).first() or make_repository()
    part = make_part(make_run(repository), {}, name="llm 1/2")
    files = [{"name": "junit.xml", "stored_as": "x", "bytes": 1_024}]
    told = {"files": files} | fields
    return [
        make_upload(part, received_at=AT + timedelta(minutes=number), **told)
        for number in range(count)
    ]


def make_dead(**fields: Any) -> Upload:
    """Make an upload that was set aside."""
    (made,) = make_uploads(state=UploadState.DEAD, error=ERROR, attempts=5, **fields)
    return made


def rows(asked: str = "") -> list[dict[str, Any]]:
    """Return the table of uploads."""
    answer = member().get(f"/repositories/{REPO}/tables/uploads.json{asked}")
    return list(json.loads(b"".join(answer)))  # type: ignore[call-overload]


def test_an_upload_tells_what_came_with_what_for_which_run() -> None:
    create_token(make_repository(), "nightly")
    (upload,) = make_uploads(token=Token.objects.get())

    page = text(PATH)

    assert f'href="/uploads/{upload.pk}/"' in page
    assert f'href="/runs/{upload.run_id}/"' in page
    for words in ("judged", "1 file, 1.0 KB", "llm 1/2", "nightly", "20 Nov 2026 12:00 UTC"):
        assert words in page
    assert PATH in html(f"/r/{REPO}/")
    assert PATH in html(f"/uploads/{upload.pk}/")


def test_one_that_was_set_aside_tells_why_in_its_first_line() -> None:
    make_dead()

    page = text(PATH)

    assert "set aside" in page
    assert "FileNotFoundError: acme/ab is not in the storage" in page
    assert "Traceback" not in page
    assert "after 5 tries" in page


def test_a_long_error_is_cut() -> None:
    make_uploads(error="x" * (MOST_CHARACTERS + 1))

    assert "x" * MOST_CHARACTERS in text(PATH)
    assert "x" * (MOST_CHARACTERS + 1) not in text(PATH)


def test_members_begin_again_with_what_was_set_aside_and_nobody_else(client: Client) -> None:
    dead = make_dead()
    make_uploads()
    Repository.objects.update(is_public=True)

    assert html(PATH).count("Try again") == 1
    assert f'action="/uploads/{dead.pk}/"' in html(PATH)
    assert "Try again" not in html(PATH, client)
    assert "Members begin again" in html(PATH, client)


def test_the_address_holds_the_state_that_is_asked_for() -> None:
    dead = make_dead()
    (judged,) = make_uploads()

    page = text(f"{PATH}?state=dead")

    assert str(dead.pk) in page
    assert str(judged.pk) not in page
    assert '<option value="dead" selected>set aside (1)</option>' in page
    assert [each["upload_id"] for each in rows("?state=dead")] == [str(dead.pk)]
    assert len(rows("?state=nothing")) == 2


def test_the_newest_comes_first_page_by_page() -> None:
    made = make_uploads(UPLOADS_PER_PAGE + 1)

    page = text(f"{PATH}?page=2")

    assert str(made[0].pk) in page
    assert str(made[-1].pk) not in page
    assert f"Page 2 of 2 ({UPLOADS_PER_PAGE + 1} uploads)" in page


def test_what_is_empty_says_so() -> None:
    make_repository()
    assert "Nothing has been uploaded yet." in text(PATH)
    make_uploads()
    assert "No upload is in this state." in text(f"{PATH}?state=received")


def test_the_table_has_the_whole_error_and_the_size() -> None:
    make_dead()

    (row,) = rows()

    assert (row["files"], row["bytes"], row["tries"]) == (1, 1_024, 5)
    assert (row["error"], row["token"], row["part"]) == (ERROR, None, "llm 1/2")


def test_uploads_of_another_repository_are_not_among_them() -> None:
    make_uploads()
    foreign = make_upload(make_part(make_run(make_repository("acme/secret")), {}))

    assert str(foreign.pk) not in text(PATH)


def test_errors_and_names_are_escaped() -> None:
    make_dead()
    Upload.objects.update(error="<script>alert(1)</script>\u202e")

    assert "<script>alert" not in html(PATH)
    assert "\u202e" not in html(PATH)


def test_the_number_of_queries_is_constant() -> None:
    make_uploads()
    few = queries(PATH)
    make_uploads(20)

    assert queries(PATH) == few


@pytest.mark.browser
@pytest.mark.parametrize("width", [375, 1440])
def test_a_browser_begins_again_from_the_list_at_every_width(
    live_server: Any, browser_page: Any, width: int
) -> None:
    dead = make_dead(files=[])
    make_uploads(2)
    sign_in_member(browser_page, live_server.url)
    browser_page.set_viewport_size({"width": width, "height": 900})

    browser_page.goto(PATH)
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= width
    browser_page.click("text=Try again")

    browser_page.wait_for_url(f"**/uploads/{dead.pk}/")
    assert Upload.objects.get(pk=dead.pk).state != UploadState.DEAD
