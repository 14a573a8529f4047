"""The same failure elsewhere is told beside a finding and changes nothing about it."""

from typing import Any

import pytest

from tests.flows.suites import CRASH, FLIP, CaseRun, history, only, suite, take
from triage.publish.text import verdict_text

pytestmark = pytest.mark.django_db

SIZE = 6
FLIPPED = CaseRun("test_ticket[2]", FLIP, "billing")


def flipped(number: int, pr: int) -> dict[str, Any]:
    return take(suite(SIZE, FLIPPED), number, pr=pr, branch=f"feature-{pr}")


def test_the_same_failure_in_other_pull_requests_is_counted_within_a_day() -> None:
    history(SIZE)
    for number, pr in ((20, 1), (40, 2), (41, 3), (42, 3), (43, 9)):
        flipped(number, pr)

    document = flipped(50, 9)

    since = "2026-10-03T01:00:00+00:00"
    sentence = "The same failure in 2 other pull requests since 01:00 UTC"
    expected = {"pull_requests": 2, "reference_runs": 0, "since": since, "sentence": sentence}
    assert only(document)["elsewhere"] == expected
    assert "The same failure in 2 other pull requests since 01:00 UTC" in verdict_text(document)


def test_a_flip_that_others_share_keeps_its_own_evidence() -> None:
    history(SIZE)
    take(suite(SIZE, CaseRun("test_ticket[3]", FLIP, "billing")), 30, pr=1, branch="other")

    finding = only(flipped(31, 2))

    assert finding["elsewhere"]["pull_requests"] == 1
    assert (finding["finding"], finding["difference"]) == ("near_tie", "label")
    assert (finding["rate"]["divergent"], finding["rate"]["calls"]) == (0, 13)


def test_failures_of_one_run_are_grouped_and_a_flip_among_them_stays_a_flip() -> None:
    history(SIZE)
    cases = (CaseRun("test_ticket[1]", CRASH, "billing"), CaseRun("test_ticket[3]", CRASH, None))

    document = take(suite(SIZE, *cases), 30, pr=1, branch="feature")

    (cluster,) = document["clusters"]
    assert len(cluster["cases"]) == 2
    assert "label" in cluster["differences"]
    assert "expected_flake" not in {each["finding"] for each in document["findings"]}
