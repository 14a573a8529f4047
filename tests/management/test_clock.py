"""Beat's work in a process without a broker."""

import logging
import subprocess
import sys
import threading

import pytest
import time_machine
from celery import current_app, shared_task

from triage.management.clock import Clock

DONE: list[str] = []
RAN = threading.Event()


@shared_task(name="tests.note")
def note() -> None:
    """Leave a trace."""
    DONE.append("note")
    RAN.set()


@shared_task(name="tests.fail")
def fail() -> None:
    """Go wrong."""
    raise RuntimeError("no luck")


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    """Forget what other tests did."""
    current_app.finalize()
    DONE.clear()
    RAN.clear()


@pytest.mark.django_db
def test_a_task_runs_when_its_time_has_come_and_not_before() -> None:
    with time_machine.travel("2026-12-01T12:00:00Z", tick=False) as travel:
        clock = Clock({"note": {"task": "tests.note", "schedule": 60.0}})
        assert (clock.run_due(), DONE) == (60.0, [])
        travel.shift(59)
        assert (clock.run_due(), DONE) == (1.0, [])
        travel.shift(1)
        assert (clock.run_due(), DONE) == (60.0, ["note"])
        assert (clock.run_due(), DONE) == (60.0, ["note"])


@pytest.mark.django_db
def test_a_task_that_fails_is_told_and_stops_no_other(caplog: pytest.LogCaptureFixture) -> None:
    entries = {
        "fail": {"task": "tests.fail", "schedule": 10.0},
        "note": {"task": "tests.note", "schedule": 10.0},
    }
    with time_machine.travel("2026-12-01T12:00:00Z", tick=False) as travel:
        clock = Clock(entries)
        travel.shift(10)
        with caplog.at_level(logging.ERROR):
            clock.run_due()

    assert DONE == ["note"]
    assert "tests.fail failed" in caplog.text


def test_a_clock_in_a_thread_runs_what_is_due_until_it_is_stopped() -> None:
    clock = Clock({"note": {"task": "tests.note", "schedule": 0.0}})

    clock.start()
    assert RAN.wait(60)
    clock.stop()

    assert set(DONE) == {"note"}
    assert "clock" not in {thread.name for thread in threading.enumerate()}


def test_a_server_without_a_broker_knows_every_task_of_its_schedule() -> None:
    program = (
        "import django; django.setup()\n"
        "from celery import current_app\n"
        "from django.conf import settings\n"
        "from triage.management.clock import Clock\n"
        "schedule = settings.CELERY_BEAT_SCHEDULE\n"
        "Clock(schedule)\n"
        "print({each['task'] for each in schedule.values()} - set(current_app.tasks))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("set()\n", 0), done.stderr
