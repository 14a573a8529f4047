"""The commands worker and beat are Celery's programs, as production runs them."""

import signal
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.servers.processes import running

COMMAND = (sys.executable, "manage.py")


@pytest.mark.parametrize("command", ["worker", "beat"])
def test_without_a_broker_it_says_who_does_the_work(command: str) -> None:
    with pytest.raises(CommandError, match="'tiebreak serve' does all work by itself") as refused:
        call_command(command)

    assert refused.value.returncode == 2


def test_an_unknown_queue_is_refused() -> None:
    with pytest.raises(CommandError, match="invalid choice: 'fast'"):
        call_command("worker", "--queues", "ingest", "fast")


@pytest.mark.broker
@pytest.mark.postgres
@pytest.mark.django_db
def test_a_worker_does_what_beat_sends_and_ends_when_asked_to(
    product_env: dict[str, str], tmp_path: Path
) -> None:
    worker = [*COMMAND, "worker", "--queues", "ingest", "publish", "--concurrency", "1"]
    beat = [*COMMAND, "beat", "--schedule", str(tmp_path / "schedule")]
    with running(worker, ready=" ready.", env=product_env) as working:
        assert "ingest-publish@" in working.output
        with running(beat, ready="Sending due task", env=product_env) as sending:
            working.wait_for("succeeded in")
            sending.process.send_signal(signal.SIGTERM)
            assert sending.wait_until_dead() == 0
        working.process.send_signal(signal.SIGTERM)
        assert working.wait_until_dead() == 0
