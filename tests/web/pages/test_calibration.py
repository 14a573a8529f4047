"""The page that says how often the gate would be wrong."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from tests.flows.suites import FLIP, REPO, START, CaseRun, suite, take
from tests.web.pages.reading import queries, text
from triage.models import CalibrationReport, Repository
from triage.terms import CalibrationState
from triage.upload.acceptance import find_or_add_repository
from triage.verdict import calibration_reports
from triage.verdict.label_replays import FEWEST_RUNS

pytestmark = pytest.mark.django_db(transaction=True)

PATH = f"/repositories/{REPO}/calibration/"


def long_history() -> Repository:
    """Take as many runs as a calibration needs, with a flip now and then."""
    for number in range(1, FEWEST_RUNS + 4):
        changed = [CaseRun("test_ticket[0]", FLIP, "billing")] if number % 9 == 0 else []
        take(suite(3, *changed), number)
    return Repository.objects.get()


def test_before_the_first_estimate_the_page_says_how_to_get_one() -> None:
    find_or_add_repository(REPO)

    assert "Nothing was estimated yet." in text(PATH)


def test_figures_are_shown_with_number_and_interval() -> None:
    repository = long_history()

    report = calibration_reports.ask(repository.pk, "ada")

    report.refresh_from_db()
    page = text(PATH)
    assert report.state == CalibrationState.DONE
    assert "Nothing changed, and the run is blocked" in page
    assert "of 1000, " in page
    assert "asked for by <bdi>ada</bdi>" in page


def test_a_short_history_says_how_many_runs_are_missing() -> None:
    take(suite(2), 1)

    calibration_reports.ask(Repository.objects.get().pk, "ada")

    assert f"{FEWEST_RUNS - 1} more runs of the default branch are needed" in text(PATH)


def test_what_fails_is_kept_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    repository = find_or_add_repository(REPO)
    monkeypatch.setattr(calibration_reports, "read_labels", lambda _: 1 / 0)

    calibration_reports.ask(repository.pk, "ada")

    assert "ZeroDivisionError" in text(PATH)


def test_one_that_waits_is_not_asked_for_twice() -> None:
    repository = find_or_add_repository(REPO)
    waiting = CalibrationReport.objects.create(repository=repository, asked_by="ada")

    assert calibration_reports.ask(repository.pk, "bob").pk == waiting.pk
    assert "A calibration is queued" in text(PATH)


def test_it_is_done_weekly_where_there_were_runs() -> None:
    find_or_add_repository("acme/without-runs")
    with time_machine.travel(START + timedelta(days=1), tick=False):
        take(suite(2), 1)
        assert calibration_reports.ask_where_due() == 1
        assert calibration_reports.ask_where_due() == 0


def test_whoever_is_not_signed_in_cannot_ask() -> None:
    find_or_add_repository(REPO)

    assert Client().post(PATH)["Location"].startswith("/sign-in/")
    assert not CalibrationReport.objects.exists()


def test_the_number_of_queries_does_not_grow() -> None:
    repository = find_or_add_repository(REPO)
    CalibrationReport.objects.create(repository=repository, asked_by="ada")
    few = queries(PATH)
    for _ in range(5):
        CalibrationReport.objects.create(
            repository=repository, asked_by="ada", asked_at=timezone.now()
        )

    assert queries(PATH) == few
