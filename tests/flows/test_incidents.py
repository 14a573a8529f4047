"""Provider incidents: opened by a burst, told once, closed when it is quiet."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from tests.flows.suites import FLIP, RATE_LIMIT, REPO, START, CaseRun, history, only, suite, take
from tests.web.pages.reading import text
from triage.models import ProviderIncident, Result, Run
from triage.verdict.incidents import close_quiet
from triage.verdict.judge import judge

pytestmark = pytest.mark.django_db

NOW = START + timedelta(hours=31)
LIMITED = CaseRun("test_ticket[0]", RATE_LIMIT)
OTHER = "other/secret-project"


@pytest.fixture(autouse=True)
def _on_that_day() -> object:
    with time_machine.travel(NOW, tick=False):
        yield


def limited(minutes: int, repo: str = REPO, *others: CaseRun) -> dict[str, Any]:
    """Take a run that the provider did not answer."""
    at = NOW - timedelta(minutes=minutes)
    return take(suite(2, LIMITED, *others), 100 + minutes, repo=repo, at=at, run_id=str(minutes))


def incident_of(document: dict[str, Any]) -> str:
    """Return what a run tells of an incident, or nothing."""
    return next((each for each in document["warnings"] if "incident" in each), "")


def test_a_single_run_without_an_answer_is_no_incident() -> None:
    assert incident_of(limited(30)) == ""
    assert not ProviderIncident.objects.exists()


def test_a_second_run_within_the_hour_opens_one_for_all_repositories() -> None:
    limited(40)
    document = limited(20, OTHER)

    (incident,) = ProviderIncident.objects.all()
    assert incident.provider == "openai"
    assert incident.opened_at == NOW - timedelta(minutes=40)
    assert "openai has an incident since" in incident_of(document)
    assert "2 errors in 2 runs in 2 repositories" in incident_of(document)


def test_no_repository_learns_the_name_of_another() -> None:
    limited(40, OTHER)
    document = limited(20)

    assert OTHER not in str(document)
    assert OTHER not in text(f"/r/{REPO}/")


def test_it_is_extended_and_not_opened_again() -> None:
    for minutes in (50, 40, 30, 20, 10):
        limited(minutes)

    (incident,) = ProviderIncident.objects.all()
    assert incident.last_error_at == NOW - timedelta(minutes=10)


def test_attempts_of_one_run_are_one_run() -> None:
    for attempt in (1, 2, 3):
        at = NOW - timedelta(minutes=30 - attempt)
        take(suite(2, LIMITED), 100, at=at, run_id="ci", attempt=attempt)

    assert not ProviderIncident.objects.exists()


def test_a_provider_that_always_fails_a_little_has_no_incident() -> None:
    for hour in range(2, 26):
        at = NOW - timedelta(hours=hour)
        take(suite(2, LIMITED), 200 + hour, at=at, run_id=f"past-{hour}")
    limited(40)
    limited(20)

    assert not ProviderIncident.objects.exists()


def test_it_closes_when_an_hour_was_quiet() -> None:
    limited(40)
    limited(20)

    assert close_quiet(timezone.now()) == 0
    assert close_quiet(timezone.now() + timedelta(hours=1)) == 1
    assert ProviderIncident.objects.get().closed_at == NOW - timedelta(minutes=20)


def test_judging_again_after_it_closed_opens_no_second_one() -> None:
    limited(40)
    limited(20)
    with time_machine.travel(NOW + timedelta(hours=2), tick=False):
        close_quiet(timezone.now())
        judge(Run.objects.latest("at"))

    assert ProviderIncident.objects.count() == 1


def test_an_error_of_long_before_does_not_move_its_beginning() -> None:
    limited(40)
    limited(20)
    limited(20 * 60)

    assert ProviderIncident.objects.get().opened_at == NOW - timedelta(minutes=40)


def test_a_flip_within_an_incident_stays_a_flip() -> None:
    history(2)
    limited(40)
    flipped = CaseRun("test_ticket[1]", FLIP, "billing")
    document = limited(20, REPO, flipped)

    kinds = {each["difference"]: each["finding"] for each in document["findings"]}
    assert kinds == {"label": "near_tie", "provider": "provider_error"}


def test_pages_show_what_is_open() -> None:
    limited(40)
    limited(20)

    assert "has an incident since" in text("/")
    assert "Provider incidents, last 30 days" in text(f"/r/{REPO}/")


def test_the_failure_names_its_provider() -> None:
    only(limited(40))

    assert Result.objects.get(difference="provider").provider == "openai"
