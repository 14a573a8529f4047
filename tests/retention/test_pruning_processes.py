"""``tiebreak prune`` in processes of their own: two at once, and one that is killed."""

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from tests.flows.suites import history, suite, take
from tests.retention.test_pruning import WORDED, counted
from tests.servers import product
from tests.servers.deaths import PRUNING_POINTS
from triage.models import Finding, Observation, Part, Result, Run, Upload, Verdict
from triage.retention.pruning import survey

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("transactional_db")]

TABLES = {
    "findings": Finding,
    "observations": Observation,
    "results": Result,
    "uploads": Upload,
    "parts": Part,
    "verdicts": Verdict,
}
PRUNE = ("manage.py", "prune")


@pytest.fixture
def env(settings: Any, tmp_path: Path) -> dict[str, str]:
    """The environment of processes that keep runs as short as can be."""
    settings.RETENTION_RESULTS_DAYS = settings.RETENTION_UPLOADS_DAYS = 31
    own = {"RETENTION_RESULTS_DAYS": "31", "RETENTION_UPLOADS_DAYS": "31", "DEATHS": str(tmp_path)}
    return product.environment(connection.settings_dict, "") | own


def rows() -> Counter[str]:
    """Return the rows of the tables that runs fill."""
    return Counter({name: model.objects.count() for name, model in TABLES.items()})


def an_old_history() -> tuple[Counter[str], list[object]]:
    """Take runs that are old by now; return the rows that pruning leaves, and all counters."""
    history(4, runs=3)
    for number in (4, 5, 6):
        take(suite(4, WORDED), number)
    doomed = survey(timezone.now())
    assert doomed["results"] > 0
    return rows() - Counter({name: doomed[name] for name in TABLES}), counted()


def start(env: dict[str, str], *program: str) -> "subprocess.Popen[str]":
    """Start a process that prunes."""
    output = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, *program], env=env, stdout=output, stderr=output, text=True
    )


def is_finished(left: Counter[str], counters: list[object]) -> bool:
    """Whether nothing old is left, nothing else went, and every count is what it was."""
    nothing_old = survey(timezone.now()).total() == 0
    marked = Run.objects.filter(pruned_at__isnull=False).count()
    return nothing_old and rows() == left and counted() == counters and marked == 6


def test_two_prunes_at_once_delete_each_row_once(env: dict[str, str]) -> None:
    left, counters = an_old_history()

    pruning = [start(env, *PRUNE), start(env, *PRUNE)]
    told = [process.communicate(timeout=120) for process in pruning]

    assert [process.returncode for process in pruning] == [0, 0], told
    assert is_finished(left, counters)


@pytest.mark.parametrize("point", PRUNING_POINTS)
def test_a_prune_that_is_killed_is_finished_by_the_next_one(
    point: str, env: dict[str, str]
) -> None:
    left, counters = an_old_history()

    killed = start(env | {"DIES_AT": point}, "-m", "tests.servers.deaths", "prune")
    told = killed.communicate(timeout=120)
    assert killed.returncode == -signal.SIGKILL, told
    again = start(env, *PRUNE)

    assert (again.communicate(timeout=120), again.returncode)[1] == 0
    assert is_finished(left, counters)
