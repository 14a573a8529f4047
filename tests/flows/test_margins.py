"""Recorded margins speak once they have forecast a suite's own flips, and never before."""

import numpy as np
import pytest

from tests.flows.suites import FLIP, REPO, CaseRun, history, only, suite, take
from tests.web.people import member
from triage.models import Case, Epoch, SuiteState

pytestmark = pytest.mark.django_db

FAR = 6.0
NOISE = 0.3


def told(name: str, margin: float) -> CaseRun:
    """Return a case that records its margin, signed: negative where the label flipped."""
    properties = {"tiebreak.margin": f"{abs(margin):.3f}"}
    if margin < 0:
        return CaseRun(name, FLIP, "billing", properties)
    return CaseRun(name, properties=properties)


def runs_with_margins(means: np.ndarray, runs: int) -> None:
    """Take runs in which each case's margin varies around its mean."""
    rng = np.random.default_rng(7)
    for number in range(1, runs + 1):
        margins = rng.normal(means, NOISE)
        cases = [told(f"test_ticket[{at}]", float(margin)) for at, margin in enumerate(margins)]
        take(suite(0) + cases, number)


def let_margins_speak() -> None:
    """Record a check that margins have passed."""
    SuiteState.objects.update(
        forecast_calls=1_000, forecast_flips=60, margin_loss=20.0, count_loss=90.0
    )


def test_margins_are_checked_on_the_flips_that_came_after_them() -> None:
    means = np.concatenate([np.full(12, 0.1), np.full(12, FAR)])
    runs_with_margins(means, runs=10)

    state = SuiteState.objects.get()
    page = member().get(f"/r/{REPO}/").content.decode()

    # The first two runs are what the first forecast is made from.
    assert state.forecast_calls == 8 * 24
    assert state.forecast_flips >= 30
    assert state.margin_loss < state.count_loss
    assert "Margins are used: they forecast flips better than counts do" in page


def test_a_suite_that_records_no_margin_is_told_which_property_to_add() -> None:
    history(2, runs=1)

    page = member().get(f"/r/{REPO}/").content.decode()

    assert "Margins are not used: no test records tiebreak.margin." in page


def test_a_label_that_fell_far_behind_is_a_regression_at_once() -> None:
    runs_with_margins(np.full(20, FAR), runs=12)
    let_margins_speak()

    finding = only(take([told("test_ticket[3]", -FAR)], 13, pr=7))

    assert finding["finding"] == "label_regression"
    assert "margin -6.00 nats" in finding["reason"]
    assert "standard deviations below its mean +" in finding["reason"]


def test_without_a_passed_check_the_same_margin_only_opens_the_second_pass() -> None:
    runs_with_margins(np.full(20, FAR), runs=12)

    finding = only(take([told("test_ticket[3]", -FAR)], 13, pr=7))

    assert finding["finding"] == "near_tie"
    assert finding["second_pass"]["needed"] == 3


def test_a_flip_within_the_noise_of_its_margins_still_gets_its_second_pass() -> None:
    runs_with_margins(np.full(20, 0.5), runs=12)
    let_margins_speak()

    finding = only(take([told("test_ticket[3]", -0.1)], 13, pr=7))

    assert finding["finding"] == "near_tie"


def test_margins_are_kept_with_the_history_of_a_case() -> None:
    runs_with_margins(np.full(2, FAR), runs=3)

    epoch = Epoch.objects.get(case=Case.objects.get(name="test_ticket[0]"))

    assert epoch.margins == 3
    assert epoch.margin_sum / epoch.margins == pytest.approx(FAR, abs=3 * NOISE)
