"""tiebreak doctor and the addresses of health: what is checked, and what is said."""

import io
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from tests.flows.github import set_up
from tests.servers.github.server import fake_github
from tests.servers.github.world import World
from triage.checks.everything import EVERYTHING
from triage.checks.github import check_github, check_webhooks
from triage.checks.running import Check, CheckResult, CheckState, run_checks
from triage.checks.work import check_publishing
from triage.models import GitHubApp, Publication, Repository, WebhookDelivery
from triage.publish.github.rights import EVENTS
from triage.webhooks.redelivery import redeliver_failed

pytestmark = pytest.mark.django_db

NOBODY = "redis://127.0.0.1:9/0"


def doctor(*arguments: str) -> str:
    """Run the command; return what it printed."""
    out = io.StringIO()
    call_command("doctor", *arguments, stdout=out)
    return out.getvalue()


def test_a_sound_installation_passes_every_check() -> None:
    printed = doctor()

    assert printed.count("\n") == len(EVERYTHING)
    assert "fail" not in printed


def test_a_broker_that_does_not_answer_fails_with_what_to_do(settings: Any) -> None:
    settings.BROKER_URL = NOBODY
    from celery import current_app

    before = current_app.conf.broker_url
    current_app.conf.broker_url = NOBODY
    out = io.StringIO()
    try:
        with pytest.raises(SystemExit) as ended:
            call_command("doctor", stdout=out)
    finally:
        current_app.conf.broker_url = before

    assert ended.value.code == 1
    assert "fail  broker" in out.getvalue()
    assert "correct BROKER_URL" in out.getvalue()


def test_a_storage_that_cannot_be_written_is_named(settings: Any, tmp_path: Any) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    uploads = settings.STORAGES["uploads"] | {"OPTIONS": {"location": blocked}}
    settings.STORAGES = settings.STORAGES | {"uploads": uploads}

    answer = Client().get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["checks"]["storage"] == "fail"
    assert "file" not in answer.content.decode()


def test_json_holds_the_same_for_machines() -> None:
    names = [each["name"] for each in json.loads(doctor("--json"))]

    assert {"database", "tables", "storage", "broker", "workers", "uploads"} <= set(names)


@pytest.fixture
def world(transactional_db: None) -> Iterator[World]:
    """A GitHub on which the App is installed."""
    with fake_github() as made:
        set_up(made, "0" * 40)
        yield made


def test_an_app_that_lacks_rights_or_events_is_told(world: World) -> None:
    result = check_github()
    assert result.state is CheckState.WARN
    assert "lacks merge_queues: read, event check_suite" in result.told

    world.permissions["merge_queues"] = "read"
    world.events = list(EVENTS)
    assert check_github().state is CheckState.OK


def test_an_app_that_github_does_not_recognise_fails(world: World) -> None:
    GitHubApp.objects.update(app_id=1)

    (result,) = run_checks([each for each in EVERYTHING if each.name == "github"])

    assert result.state is CheckState.FAIL
    assert "GitHub answered 404: Integration not found" in result.told
    assert "docs/github_setup.md" in result.remedy


def test_deliveries_that_wait_or_are_not_asked_for_are_told(world: World) -> None:
    assert "were not asked for" in check_webhooks().told
    redeliver_failed(timezone.now())
    assert check_webhooks().state is CheckState.OK

    received = timezone.now() - timedelta(hours=1)
    WebhookDelivery.objects.create(delivery_id="late", event="push", body={}, received_at=received)
    assert check_webhooks().told == "1 deliveries wait for over ten minutes"


def test_what_a_forge_refused_is_told_with_its_words() -> None:
    repository = Repository.objects.create(full_name="acme/support-bot")
    assert check_publishing().state is CheckState.OK
    Publication.objects.create(
        repository=repository,
        kind="check",
        subject="a",
        state="failed",
        error="GitHub answered 422",
    )
    Publication.objects.create(
        repository=repository,
        kind="check",
        subject="b",
        state="waiting",
        error="GitHub answered 401",
        changed_at=timezone.now() - timedelta(days=2),
        next_try_at=timezone.now() + timedelta(hours=20),
    )

    result = check_publishing()

    assert (result.state, result.told) == (
        CheckState.WARN,
        "1 checks and comments in a day, 1 refused; 1 put off",
    )
    assert "GitHub answered 422" in result.remedy


def broken() -> CheckResult:
    """Go wrong."""
    raise RuntimeError("boom")


def sound() -> CheckResult:
    """Find nothing wrong."""
    return CheckResult("sound", CheckState.OK, "")


def test_a_check_that_breaks_has_failed() -> None:
    (result,) = run_checks([Check("broken", broken, "mend it")])

    assert result == CheckResult("broken", CheckState.FAIL, "RuntimeError: boom", "mend it")


def test_what_rests_on_a_failed_check_is_not_looked_at_nor_what_rests_on_that() -> None:
    checks = [
        Check("database", broken),
        Check("tables", broken, needs="database"),
        Check("uploads", broken, needs="tables"),
        Check("sound", sound),
    ]

    assert [each.state for each in run_checks(checks)] == ["fail", "skip", "skip", "ok"]
    assert run_checks(checks)[1].told == "not looked at until 'database' passes"


def test_every_check_comes_after_the_one_it_needs() -> None:
    names = [each.name for each in EVERYTHING]

    assert all(
        each.needs in names[:position] for position, each in enumerate(EVERYTHING) if each.needs
    )


def test_the_addresses_of_health_answer_without_an_account() -> None:
    assert Client().get("/healthz").status_code == 200
    assert Client().get("/readyz").json()["is_ready"]
