"""Estimates of false blocks, holds and misses out of recorded labels."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from triage.verdict.calibration import Share, calibrate
from triage.verdict.label_replays import EXPECTED, FEWEST_RUNS, NO_ANSWER, RecordedLabels

LABELS = Path(__file__).parent.parent / "data" / "llm-runs" / "bench_labels.npz"
REPLAYS = 100


def recorded(cases: int, runs: int, kinds: int = 3) -> RecordedLabels:
    """Return a record in which every case always showed the expected label."""
    return RecordedLabels(
        np.full((cases, runs), EXPECTED), np.full(cases, kinds), np.full(runs, cases)
    )


def real_suite(cases: int) -> RecordedLabels:
    """Return real calls at temperature 0, held against each item's most frequent label."""
    with np.load(LABELS) as stored:
        labels = stored["tcs_T0"][:cases].astype(np.int64)
    kinds = int(labels.max()) + 1
    usual = np.stack([(labels == kind).sum(axis=1) for kind in range(kinds)]).argmax(axis=0)
    numbers = np.where(labels < usual[:, None], labels + 1, labels)
    numbers[labels == usual[:, None]] = EXPECTED
    runs = labels.shape[1]
    return RecordedLabels(numbers, np.full(cases, kinds), np.full(runs, cases))


def test_a_suite_that_never_flips_is_never_stopped_and_every_moved_label_is_blocked() -> None:
    found = calibrate(recorded(20, 30), replays=REPLAYS)

    unchanged = found.unchanged
    assert (found.cases, found.runs, found.replays) == (20, 30, REPLAYS)
    assert (unchanged.flipping.count, unchanged.blocked.count, unchanged.held.count) == (0, 0, 0)
    assert unchanged.repeats_per_run == 0
    always, often = found.moved
    assert (always.share_of_calls, often.share_of_calls) == (1.0, 0.6)
    assert (always.blocked.count, always.missed.count, always.unseen.count) == (REPLAYS, 0, 0)
    assert always.repeats_per_run == 3


def test_a_label_that_moved_in_some_calls_is_missed_at_least_where_the_first_call_hides_it() -> (
    None
):
    _, often = calibrate(recorded(20, 30), replays=REPLAYS).moved

    assert 25 <= often.unseen.count <= 55
    assert often.missed.count >= often.unseen.count
    assert often.blocked.count + often.held.count + often.missed.count == REPLAYS


def test_a_known_near_tie_is_not_blocked() -> None:
    record = recorded(20, 40)
    record.labels[3, ::2] = 1

    unchanged = calibrate(record, replays=REPLAYS).unchanged

    assert 30 <= unchanged.flipping.count <= 70
    assert unchanged.blocked.count == 0


def test_one_answer_is_never_proof() -> None:
    """A case of a suite of one would pass the limit at its first flip."""
    record = recorded(1, 60)

    always, _ = calibrate(record, replays=REPLAYS).moved

    assert always.repeats_per_run == 3


def test_real_suites_are_seldom_blocked_and_a_moved_label_is_not_missed() -> None:
    found = calibrate(real_suite(200), replays=REPLAYS)

    assert found.unchanged.blocked.count <= 2
    assert found.unchanged.held.count <= 6
    assert found.moved[0].missed.count == 0


def test_the_same_seed_gives_the_same_estimates() -> None:
    record = real_suite(60)

    first = calibrate(record, replays=REPLAYS, seed=1)

    assert calibrate(record, replays=REPLAYS, seed=1) == first
    assert calibrate(record, replays=REPLAYS, seed=2) != first


def test_runs_that_did_not_answer_leave_history_and_second_pass_whole() -> None:
    record = recorded(20, 60)
    record.labels[:, ::2] = NO_ANSWER
    record.labels[5, ::2] = EXPECTED

    found = calibrate(record, replays=REPLAYS)

    assert (found.cases, found.runs) == (20, 60)
    assert found.moved[0].blocked.count == REPLAYS


def test_cases_with_a_short_history_take_no_part() -> None:
    record = recorded(4, 40)
    record.labels[0, FEWEST_RUNS - 1 :] = NO_ANSWER

    assert calibrate(record, replays=REPLAYS).cases == 3


def test_a_history_that_is_too_short_is_refused_with_what_is_missing() -> None:
    record = recorded(4, FEWEST_RUNS - 2)

    assert record.runs_missing == 2
    with pytest.raises(ValueError, match="26 runs are needed, 2 more than there are"):
        calibrate(record)


def test_a_record_without_cases_lacks_every_run() -> None:
    assert recorded(0, 0).runs_missing == FEWEST_RUNS


def test_every_llm_case_of_a_run_is_a_chance_of_a_false_alarm() -> None:
    record = recorded(20, 30)
    crowded = replace(record, llm_cases=np.full(30, 10_000))

    always, _ = calibrate(crowded, replays=REPLAYS).moved

    assert always.repeats_per_run > 3


def test_a_share_is_read_with_its_number_and_interval() -> None:
    share = Share(12, 500)

    assert str(share) == "2.4 % (12 of 500, 1.4–4.1 %)"
    assert share.as_json() == {
        "count": 12,
        "of": 500,
        "share": 0.024,
        "low": pytest.approx(0.013781, abs=1e-6),
        "high": pytest.approx(0.041477, abs=1e-6),
    }
