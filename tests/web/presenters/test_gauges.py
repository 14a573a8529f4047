"""How a budget's standing becomes a gauge."""

import pytest

from tests.web.builders import BUDGET
from triage.web.presenters.gauges import gauge, stored_gauge


def test_a_gauge_is_full_at_its_limit_and_marks_the_allowance() -> None:
    shown = gauge(BUDGET)

    assert shown is not None
    assert (shown.used_width, shown.allowance_at) == (28.6, 71.4)
    assert shown.pays


def test_a_gauge_past_its_limit_does_not_run_over() -> None:
    shown = gauge(BUDGET | {"spent": 14, "standing": "spent"})

    assert shown is not None
    assert (shown.used_width, shown.allowance_at) == (100.0, 35.7)
    assert shown.badge.word == "spent"
    assert not shown.pays


def test_a_standing_without_a_limit_ends_at_its_allowance() -> None:
    shown = gauge({"scope": "case", "spent": 1, "allowance": 4, "standing": "within"})

    assert shown is not None
    assert (shown.limit, shown.used_width, shown.calls) == (4, 25.0, None)


@pytest.mark.parametrize("nothing", [None, {}])
def test_no_budget_has_no_gauge(nothing: dict[str, object] | None) -> None:
    assert stored_gauge(nothing) is None
