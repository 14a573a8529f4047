"""What is watched over all LLM cases of a repository together."""

import numpy as np
import pytest

from budgets.monitor import SUITE_THRESHOLD, is_alarming
from tests.flows.suites import REPO, WORDING, CaseRun, history, suite, take
from triage.history.suite_state import suite_monitor
from triage.models import Repository

pytestmark = pytest.mark.django_db


def differing(cases: range, **properties: str) -> list[CaseRun]:
    """Return cases whose wording differs."""
    return [CaseRun(f"test_ticket[{at}]", WORDING, properties=properties) for at in cases]


def alarms() -> bool:
    """Tell whether the detector of the suite has seen enough."""
    state = suite_monitor(Repository.objects.get(full_name=REPO).pk)
    return bool(is_alarming(state[None, :], SUITE_THRESHOLD)[0])


def test_a_rise_in_all_cases_at_once_is_seen_within_a_few_runs() -> None:
    history(30, runs=20)
    assert not alarms()

    for number in range(21, 24):
        verdict = take(suite(30, *differing(range(8 * (number - 21), 8 * (number - 20)))), number)

    assert alarms()
    assert any("more often than it was accepted to" in each for each in verdict["warnings"])


def test_what_a_pull_request_does_says_nothing_of_the_unchanged_suite() -> None:
    history(30, runs=20)

    for number in range(21, 24):
        take(suite(30, *differing(range(8))), number, pr=number)

    assert not alarms()


def test_cases_that_share_a_call_are_one_case_of_the_suite() -> None:
    history(30, runs=20)

    shared = {"gen_ai.response.id": "call-1"}
    take(suite(30, *differing(range(12), **shared)), 21)
    of_one_call = suite_monitor(Repository.objects.get(full_name=REPO).pk)

    assert not alarms()
    assert np.isfinite(of_one_call).all()
