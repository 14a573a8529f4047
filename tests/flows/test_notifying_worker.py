"""A worker of its own sends what judging emitted, as in production."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from tests.flows.suites import FLIP, CaseRun, report, sha, suite
from tests.notifications.builders import REPO, make_channel, only_delivery
from tests.servers import product
from tests.servers.receiver import Reply, receiving
from triage.models import Delivery
from triage.tasks import sweep_deliveries
from triage.terms import DeliveryState
from triage.upload.acceptance import find_or_add_repository

# SQLite is for one process without a broker; this is how the product runs on PostgreSQL.
pytestmark = [pytest.mark.broker, pytest.mark.postgres]

ON_HOLD = 3


def judge_in_a_process_of_its_own(env: dict[str, str], folder: Path) -> int:
    """Judge a run whose only failure is a flip; return the exit status."""
    file = folder / "junit.xml"
    file.write_bytes(report(suite(3, CaseRun("test_ticket[2]", FLIP, "billing"))))
    command = [sys.executable, "manage.py", "triage", str(file), "--repo", REPO, "--sha", sha(1)]
    return subprocess.run(command, env=env, check=False, stdout=subprocess.DEVNULL).returncode


def test_a_worker_sends_what_judging_emitted_and_the_sweep_what_failed(
    transactional_db: None, product_env: dict[str, str], settings: Any, tmp_path: Path
) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    env = product_env | {"ALLOW_PRIVATE_WEBHOOKS": "true"}
    with receiving(Reply(503, b"down")) as receiver:
        make_channel(find_or_add_repository(REPO), receiver.url())
        with product.worker(env, "--queues=ingest,publish") as worker:
            assert judge_in_a_process_of_its_own(env, tmp_path) == ON_HOLD
            first = receiver.wait_for_request()
        failed = only_delivery()
        assert (failed.state, failed.tries, failed.problem) == ("waiting", 1, "answered 503"), (
            worker.output
        )

        Delivery.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        sweep_deliveries()
        second = receiver.wait_for_request()

    assert first.json["type"] == "run_on_hold"
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == str(failed.pk)
    assert only_delivery().state == DeliveryState.SENT
