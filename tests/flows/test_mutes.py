"""Muted cases, through the real door: wording passes until a day, a flip never does."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgets.models import Charge
from tests.flows.suites import (
    CRASH,
    FLIP,
    START,
    WORDING,
    CaseRun,
    history,
    only,
    suite,
    take,
)
from triage.models import Case, Finding, Mute, Repository
from triage.terms import Difference, FindingKind
from triage.verdict.muting import MuteRequest, end_mute, mute_case

pytestmark = pytest.mark.django_db

SIZE = 4
CASE = "test_ticket[2]"
PR = {"pr": 42, "branch": "topic"}
FLAKY = suite(SIZE, CaseRun(CASE, WORDING))
WHY = MuteRequest("@acme/refunds", "provider rollout", START + timedelta(days=20))


def mute(at_hour: int, asked: MuteRequest = WHY) -> Mute:
    """Mute the case at an hour of the story."""
    with time_machine.travel(START + timedelta(hours=at_hour), tick=False):
        return mute_case(Case.objects.get(name=CASE), asked, "ada")


def spend_the_budget() -> None:
    """Take clean runs, then runs of the main branch with a wording difference in each."""
    history(SIZE)
    for number in range(13, 23):
        take(FLAKY, number)


def test_a_muted_case_s_spent_budget_does_not_fail_the_run_and_is_charged_all_the_same() -> None:
    spend_the_budget()
    assert only(take(FLAKY, 23, **PR))["finding"] == "over_budget"
    mute(24)

    document = take(FLAKY, 25, **PR)

    finding = only(document)
    assert (finding["finding"], document["exit_code"]) == ("muted", 0)
    assert document["headline"]["text"] == "Safe to merge: 1 muted wording difference"
    assert (
        "muted until 21 Oct 2026 by ada for @acme/refunds (“provider rollout”)"
        in (finding["reason"])
    )
    assert finding["mute"]["owner"] == "@acme/refunds"
    assert Charge.objects.filter(run_id=document["id"]).count() == 1


def test_what_the_budget_pays_for_is_an_expected_flake_muted_or_not() -> None:
    history(SIZE)
    mute(13)

    assert only(take(FLAKY, 14, **PR))["finding"] == "expected_flake"


@pytest.mark.parametrize(
    ("failing", "finding", "exit_code"),
    [
        (CaseRun(CASE, FLIP, "billing"), "near_tie", 3),
        (CaseRun(CASE, CRASH, None), "undecided", 3),
    ],
)
def test_anything_but_wording_is_judged_as_if_there_were_no_mute(
    failing: CaseRun, finding: str, exit_code: int
) -> None:
    history(SIZE)
    mute(13)

    document = take(suite(SIZE, failing), 14, **PR)

    assert (only(document)["finding"], document["exit_code"]) == (finding, exit_code)
    assert only(document)["mute"] is None


def test_a_flip_of_a_muted_case_blocks_once_its_repeats_prove_it() -> None:
    history(SIZE)
    mute(13)
    flipped = suite(SIZE, CaseRun(CASE, FLIP, "billing"))

    documents = [take(flipped, 14, run_id="1", attempt=n, **PR) for n in range(1, 5)]

    assert documents[0]["conclusion"] == "on_hold"
    assert documents[-1]["conclusion"] == "blocked"
    assert only(documents[-1])["finding"] == "label_regression"
    assert not Charge.objects.exists()


def test_a_mute_ends_by_itself_at_its_time_and_by_a_person_before() -> None:
    spend_the_budget()
    until = START + timedelta(hours=26)
    mute(23, MuteRequest("@acme/refunds", "until lunch", until))
    assert only(take(FLAKY, 25, **PR))["finding"] == "muted"
    assert only(take(FLAKY, 26, **PR))["finding"] == "over_budget"

    mute(27)
    assert only(take(FLAKY, 28, **PR))["finding"] == "muted"
    with time_machine.travel(START + timedelta(hours=29), tick=False):
        end_mute(Case.objects.get(name=CASE), "ada")
    assert only(take(FLAKY, 30, **PR))["finding"] == "over_budget"


def test_a_mute_of_another_case_mutes_nothing_here() -> None:
    spend_the_budget()
    with time_machine.travel(START + timedelta(hours=23), tick=False):
        mute_case(Case.objects.get(name="test_ticket[0]"), WHY, "ada")

    assert only(take(FLAKY, 24, **PR))["finding"] == "over_budget"


KINDS = st.sampled_from(["pass", "pass", "wording", "flip", "crash", "mute", "unmute"])


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(KINDS, st.booleans()), min_size=1, max_size=10))
def test_no_flip_is_charged_or_excused_whatever_is_muted_and_when(
    db: None, steps: list[tuple[str, bool]]
) -> None:
    Repository.objects.all().delete()
    history(SIZE, 3)
    for number, (step, is_change) in enumerate(steps, start=4):
        told: dict[str, Any] = PR if is_change else {}
        _take_step(step, number, told)

    flips = Finding.objects.filter(difference=Difference.LABEL)
    excused = {FindingKind.MUTED, FindingKind.EXPECTED_FLAKE, FindingKind.OVER_BUDGET}
    assert not flips.filter(kind__in=excused).exists()
    ours = flips.exclude(kind=FindingKind.INHERITED)
    assert not ours.exclude(verdict__conclusion__in=["blocked", "on_hold"]).exists()
    assert not Charge.objects.filter(difference=Difference.LABEL).exists()
    muted = Finding.objects.filter(kind=FindingKind.MUTED)
    assert not muted.exclude(difference=Difference.TEXT).exists()


def _take_step(step: str, number: int, told: dict[str, Any]) -> None:
    failing = {
        "pass": CaseRun(CASE),
        "wording": CaseRun(CASE, WORDING),
        "flip": CaseRun(CASE, FLIP, "billing"),
        "crash": CaseRun(CASE, CRASH, None),
    }
    is_muted = Mute.objects.filter(ended_at__isnull=True).exists()
    if step == "mute" and not is_muted:
        mute(number)
    elif step == "unmute" and is_muted:
        with time_machine.travel(START + timedelta(hours=number), tick=False):
            end_mute(Case.objects.get(name=CASE), "ada")
    elif step in failing:
        take(suite(SIZE, failing[step]), number, **told)
