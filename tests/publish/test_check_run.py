"""The check run of a verdict."""

from typing import Any

import pytest

from tests.flows.suites import FLIP, WORDING, CaseRun, history, suite, take
from tests.publish.test_comment import many
from triage.publish.check_run import (
    MOST_ANNOTATIONS,
    MOST_SUMMARY_BYTES,
    Asked,
    Place,
    check_run,
)
from triage.terms import Button

PR: dict[str, Any] = {"pr": 7, "branch": "change", "run_id": "ci-1"}


def judged(*changed: CaseRun, attempts: int = 1) -> dict[str, Any]:
    """Return the verdict on a pull request in which these cases differ in every attempt."""
    history(6)
    for attempt in range(1, attempts + 1):
        document = take(suite(6, *changed), 20, attempt=attempt, **PR)
    return document


@pytest.mark.django_db
def test_a_near_tie_is_in_progress_while_its_second_pass_is_under_way() -> None:
    document = judged(CaseRun("test_ticket[0]", FLIP, "billing"))
    run = check_run(document, {}, {}, Asked(is_rerun_under_way=True))

    assert (run.status, run.conclusion, run.actions) == ("in_progress", None, ())


@pytest.mark.django_db
def test_a_near_tie_whose_second_pass_nobody_started_asks_for_it_by_buttons() -> None:
    run = check_run(judged(CaseRun("test_ticket[0]", FLIP, "billing")), {}, {})

    assert (run.status, run.conclusion) == ("completed", "action_required")
    assert [each.identifier for each in run.actions] == [
        Button.RERUN,
        Button.ESCALATE,
        Button.REGRESSION,
    ]


@pytest.mark.django_db
def test_a_label_regression_fails_and_offers_to_accept_the_new_label() -> None:
    run = check_run(judged(CaseRun("test_ticket[0]", FLIP, "billing"), attempts=4), {}, {})

    assert (run.status, run.conclusion) == ("completed", "failure")
    assert [action.identifier for action in run.actions] == [Button.ACCEPT_LABEL]


@pytest.mark.django_db
def test_expected_flakes_succeed_without_a_button() -> None:
    run = check_run(judged(CaseRun("test_ticket[0]", WORDING)), {}, {})

    assert (run.conclusion, run.actions, run.annotations) == ("success", (), ())


def test_no_button_is_longer_than_the_forge_takes() -> None:
    from triage.publish.check_run import BUTTONS

    for action in BUTTONS.values():
        assert len(action.label) <= 20
        assert len(action.description) <= 40
        assert len(action.identifier) <= 20


def test_only_an_over_budget_run_can_be_allowed_once() -> None:
    over = many(["a"], finding="over_budget", difference="text")
    both = over | {"findings": over["findings"] + many(["b"])["findings"]}
    told = {"conclusion": "blocked", "second_pass": {"repeats": 0, "cases": []}}

    assert Button.ALLOW_ONCE in [a.identifier for a in check_run(over | told, {}, {}).actions]
    assert Button.ALLOW_ONCE not in [a.identifier for a in check_run(both | told, {}, {}).actions]


def test_annotations_stand_at_the_lines_of_what_blocks_or_holds() -> None:
    document = many(["t.py::a"]) | {
        "conclusion": "blocked",
        "second_pass": {"repeats": 0, "cases": []},
    }

    (annotation,) = check_run(document, {}, {1: Place("tests/t.py", 41)}).annotations

    assert (annotation.path, annotation.start_line) == ("tests/t.py", 41)
    assert annotation.annotation_level == "failure"
    assert annotation.title == "Label regression: t.py::a"


def test_a_huge_run_keeps_within_the_limits() -> None:
    document = many([f"🎫{number}" for number in range(3_000)]) | {
        "conclusion": "blocked",
        "second_pass": {"repeats": 0, "cases": []},
    }

    run = check_run(document, {}, {1: Place("t.py", 1)})

    assert len(run.summary.encode()) <= MOST_SUMMARY_BYTES
    assert len(run.annotations) == MOST_ANNOTATIONS
