"""The demo's runs go through the upload door, back-dated."""

from datetime import UTC, datetime

import pytest

from triage.demo.evals import eval_cases
from triage.demo.replay import main_submissions, send
from triage.models import Run

NOW = datetime(2025, 6, 2, 9, 30, tzinfo=UTC)


def test_the_main_branch_runs_once_a_day_until_yesterday() -> None:
    runs = list(main_submissions(eval_cases(), NOW))

    assert [run.run_id for run in runs] == [str(number) for number in range(1, 31)]
    assert runs[0].at == datetime(2025, 5, 3, 9, 30, tzinfo=UTC)
    assert runs[-1].at == datetime(2025, 6, 1, 9, 30, tzinfo=UTC)
    assert len({run.sha for run in runs}) == 30


@pytest.mark.django_db
def test_replaying_a_run_twice_stores_it_once() -> None:
    submission = next(main_submissions(eval_cases(), NOW))

    assert send(submission)["id"] == send(submission)["id"]
    assert Run.objects.count() == 1
