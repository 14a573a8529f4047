"""manage.py doctor and the addresses of health: what is checked, and what is said."""

import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from triage.checks import EVERYTHING, CheckResult, CheckState, run_checks

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


def test_a_check_that_breaks_has_failed() -> None:
    def check_broken() -> CheckResult:
        raise RuntimeError("boom")

    (result,) = run_checks([check_broken])

    assert (result.name, result.state, result.told) == (
        "broken",
        CheckState.FAIL,
        "RuntimeError: boom",
    )


def test_the_addresses_of_health_answer_without_an_account() -> None:
    assert Client().get("/healthz").status_code == 200
    assert Client().get("/readyz").json()["is_ready"]
