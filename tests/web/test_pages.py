"""The pages, over runs that went in through the real door."""

from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.flows.suites import FLIP, REPO, WORDING, CaseRun, history, sha, suite, take
from tests.web.people import member, sign_in_member
from triage import pipeline
from triage.models import Case, Run
from triage.parse.archives import UploadedFile
from triage.upload.acceptance import accept
from triage.upload.submission import Submission

pytestmark = pytest.mark.django_db

CORPUS = Path(__file__).parent.parent / "data" / "junit" / "dev"
SIZE = 5
CASE = "test_ticket[2]"
PR = {"pr": 42, "branch": "feature"}


def text(path: str) -> str:
    """Return a page's text; it must be there."""
    response = member().get(path)
    assert response.status_code == 200, path
    return unescape(response.content.decode()).replace("\u00a0", " ")


def queries(path: str) -> int:
    """Return how many queries a page takes."""
    client = member()
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


def run_page() -> str:
    """Return the path of the newest run."""
    return f"/runs/{Run.objects.order_by('pk').last().pk}/"  # type: ignore[union-attr]


def test_an_empty_house_shows_how_to_send_the_first_report() -> None:
    page = text("/")

    assert "create_token" in page
    assert "/api/v1/uploads" in page


def test_the_decision_stands_in_the_first_line_of_a_run() -> None:
    history(SIZE, 3)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)

    page = text(run_page())

    heading = page.split("<h1")[1].split("</h1>")[0]
    assert "On hold: 1 near tie, no proven regression" in heading


def test_a_failing_case_is_shown_with_its_labels_rate_reason_and_next_step() -> None:
    history(SIZE)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)

    page = text(run_page())

    for words in (
        "near tie",
        "tests.evals.test_refunds::test_ticket[2]",
        "fraud",
        "billing",
        "0.0 % (0 of 12, 0.0–",
        "the second pass is open: 0 repeats done, 3 more wanted",
        "Repeat this test 3 times in a new attempt of the same run",
        "never charged: a label flip is no flake",
    ):
        assert words in page


def test_a_flake_shows_the_budget_that_paid_for_it() -> None:
    history(SIZE)
    take(suite(SIZE, CaseRun(CASE, WORDING)), 30, **PR)

    page = text(run_page())

    assert "Safe to merge: the 1 failure is an expected flake, no label flipped" in page
    assert "used" in page


def test_a_case_shows_its_history_its_labels_and_what_it_does_not_tell() -> None:
    history(SIZE)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)
    case = Case.objects.get(name=CASE)

    page = text(f"/cases/{case.pk}/")

    for words in (case.title, "near tie", "billing", "acme-llm-2026-09-01", "tiebreak.margin"):
        assert words in page


def test_a_reporter_that_hides_retries_is_never_said_to_have_no_flakes() -> None:
    history(SIZE, 1)
    case = Case.objects.get(name=CASE)
    Case.objects.filter(pk=case.pk).update(hides_retries=True)

    assert "this reporter hides retries" in text(f"/cases/{case.pk}/").lower()


def test_a_case_says_what_its_reporter_leaves_out_and_how_to_add_it() -> None:
    body = (CORPUS / "promptfoo__generated__01.xml").read_bytes()
    accepted = accept(Submission(repo=REPO, sha=sha(1), files=(UploadedFile("junit.xml", body),)))
    pipeline.process(accepted.upload.pk)
    case = Case.objects.order_by("pk").first()
    assert case is not None

    page = text(f"/cases/{case.pk}/")

    assert "promptfoo" in page
    assert "results.json" in page


def test_names_of_a_report_are_shown_and_never_run() -> None:
    name = "test_<script>alert(1)</script>\u202e"
    history(SIZE, 1)
    take([CaseRun(name, FLIP, "<img src=x onerror=alert(2)>")], 30, **PR)
    case = Case.objects.get(name__startswith="test_<script>")

    for path in (run_page(), f"/cases/{case.pk}/", f"/r/{REPO}/"):
        body = member().get(path).content.decode()
        assert "<script>alert" not in body
        assert "<img src=x" not in body


def test_pages_carry_headers_that_let_nothing_foreign_in() -> None:
    response = Client().get("/")

    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert response["X-Frame-Options"] == "DENY"
    assert "style=" not in response.content.decode()


@pytest.mark.parametrize("query", ["?page=2", "?page=abc", f"?page={10**20}", "?page=-1"])
def test_a_page_number_leads_to_a_page_or_to_nothing_and_never_to_an_error(query: str) -> None:
    history(SIZE, 2)

    assert member().get(f"/r/{REPO}/{query}").status_code in {200, 404}


def test_runs_can_be_narrowed_and_the_address_says_how() -> None:
    history(SIZE, 2)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)

    page = text(f"/r/{REPO}/?conclusion=on_hold")

    assert sha(30)[:7] in page
    assert "On hold" in page
    assert page.count("Safe to merge") == 0


@pytest.mark.parametrize("path", ["/runs/999999/", "/cases/999999/", "/r/no/where/", "/nothing/"])
def test_what_is_not_there_is_a_page_that_says_so(path: str) -> None:
    response: HttpResponse = member().get(path)

    assert response.status_code == 404
    assert b"<h1" in response.content


def test_the_number_of_queries_does_not_grow_with_the_data() -> None:
    history(SIZE, 3)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)
    case = Case.objects.get(name=CASE)
    paths = ["/", f"/r/{REPO}/", run_page(), f"/cases/{case.pk}/"]
    few = [queries(path) for path in paths]
    changed = [CaseRun(f"test_ticket[{n}]", FLIP, "billing") for n in range(SIZE)]
    for number in (40, 41, 42):
        take(suite(SIZE, *changed), number, **PR)
    paths[2] = run_page()

    assert [queries(path) for path in paths] == few


@pytest.mark.browser
@pytest.mark.parametrize("width", [375, 1440])
def test_a_browser_shows_a_run_whole_at_every_width(
    live_server: Any, browser_page: Any, take_screenshot: Any, width: int
) -> None:
    history(SIZE)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)
    wrong: list[str] = []
    browser_page.on("console", lambda message: wrong.append(message.text))
    browser_page.on("pageerror", lambda error: wrong.append(str(error)))
    browser_page.set_viewport_size({"width": width, "height": 900})

    sign_in_member(browser_page, live_server.url)
    browser_page.goto(run_page())

    assert "On hold" in browser_page.inner_text("h1")
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= width
    assert wrong == []
    assert take_screenshot(f"run-{width}").stat().st_size > 10_000


@pytest.mark.browser
def test_a_case_can_be_reached_with_the_keyboard_alone(live_server: Any, browser_page: Any) -> None:
    history(SIZE, 2)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)
    sign_in_member(browser_page, live_server.url)
    browser_page.goto(run_page())

    for _ in range(30):
        browser_page.keyboard.press("Tab")
        target = browser_page.evaluate("document.activeElement.getAttribute('href') || ''")
        if target.startswith("/cases/"):
            break
    browser_page.keyboard.press("Enter")
    browser_page.wait_for_url("**/cases/*/")

    assert CASE in browser_page.inner_text("h1")
