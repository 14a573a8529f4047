"""tiebreak calibrate: the record of labels is rebuilt from what is stored, and replayed."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.flows.suites import CRASH, FLIP, RATE_LIMIT, REPO, WORDING, CaseRun, history, suite, take
from triage.models import EpochLabel, Repository
from triage.verdict.label_replays import NO_ANSWER
from triage.verdict.recorded_labels import LabelRecord, read_labels

pytestmark = pytest.mark.django_db

SIZE = 4
CASE = "test_ticket[2]"
FLIPPED = CaseRun(CASE, FLIP, "billing")


def calibrate(*arguments: str) -> str:
    """Run the command; return what it printed."""
    out = io.StringIO()
    call_command("calibrate", REPO, *arguments, stdout=out)
    return out.getvalue()


def record() -> LabelRecord:
    """Return what the stored runs say of labels."""
    return read_labels(Repository.objects.get().pk)


def answers_of(number: int) -> list[int]:
    """Return the answers of the case with this number, oldest run first."""
    return [int(code) for code in record().labels.labels[number]]


def test_each_kind_of_result_gives_its_label_or_no_answer() -> None:
    unlabelled = CaseRun(CASE, label=None, properties={"gen_ai.request.model": "acme-llm"})
    for number, case in enumerate(
        (
            CaseRun(CASE),
            FLIPPED,
            CaseRun(CASE, FLIP, "shipping"),
            CaseRun(CASE, WORDING),
            unlabelled,
            CaseRun(CASE, CRASH, None),
            CaseRun(CASE, RATE_LIMIT, None),
        ),
        start=1,
    ):
        take(suite(SIZE, case), number)

    assert answers_of(2) == [0, 1, 2, 0, 0, NO_ANSWER, NO_ANSWER]
    assert answers_of(1) == [0] * 7
    assert record().labels.kinds.tolist() == [3] * SIZE


def test_flips_of_the_record_are_those_of_the_tallies() -> None:
    for number in range(1, 9):
        take(suite(SIZE, *([FLIPPED] if number % 3 == 0 else [])), number)

    flips = EpochLabel.objects.get(expected="fraud", observed="billing").calls

    assert int((record().labels.labels == 1).sum()) == flips == 2


def test_pull_requests_and_second_attempts_are_no_sample_of_the_branch() -> None:
    history(SIZE, 3)
    take(suite(SIZE, FLIPPED), 30, pr=42, branch="feature")
    take(suite(SIZE, FLIPPED), 31, run_id="ci-7")
    take(suite(SIZE, FLIPPED), 31, run_id="ci-7", attempt=2)

    assert answers_of(2) == [0, 0, 0, 1]


def test_a_new_epoch_starts_the_record_anew_unless_only_a_pull_request_tries_it() -> None:
    history(SIZE, 3)
    newer = CaseRun(CASE, properties={"gen_ai.response.model": "acme-llm-2026-10-01"})
    take(suite(SIZE, newer), 20, pr=42, branch="feature")
    assert answers_of(2) == [0, 0, 0]

    take(suite(SIZE, newer), 30)

    assert answers_of(2) == [NO_ANSWER] * 3 + [0]
    assert answers_of(1) == [0] * 4


def test_cases_without_a_label_or_with_several_are_counted_and_left_out() -> None:
    told = {"gen_ai.request.model": "acme-llm"}
    unlabelled = CaseRun("test_ticket[0]", label=None, properties=told)
    other = {"tiebreak.expected_label": "shipping", "tiebreak.label": "shipping"}
    take(suite(SIZE, unlabelled), 1)
    take(suite(SIZE, unlabelled, CaseRun(CASE, properties=other)), 2)

    found = record()

    assert (found.without_label, found.with_several) == (1, 1)
    assert found.labels.labels.shape == (2, 2)
    assert found.labels.llm_cases.tolist() == [SIZE, SIZE]


def test_a_short_history_says_how_many_runs_are_missing() -> None:
    history(SIZE, 3)

    lines = calibrate().splitlines()

    assert (
        lines[0] == f"{REPO}: 4 cases with a label, 3 runs of the default branch since 2026-10-01"
    )
    assert lines[1].startswith(
        "The history is too short to calibrate: no case has more than 3 runs"
    )
    assert lines[2] == "Missing: 23 more runs of the default branch."
    document = json.loads(calibrate("--json"))
    assert (document["runs_needed"], document["runs_missing"]) == (26, 23)
    assert document["estimates"] is None


def test_a_repository_without_labels_is_told_what_to_record() -> None:
    take([CaseRun("test_plain", label=None)], 1)

    assert "record tiebreak.expected_label" in calibrate()


def test_a_long_history_gives_estimates_with_intervals() -> None:
    for number in range(1, 28):
        take(suite(SIZE, *([FLIPPED] if number % 3 == 0 else [])), number)

    document: dict[str, Any] = json.loads(calibrate("--json", "--replays", "100"))

    estimates = document["estimates"]
    assert (estimates["cases"], estimates["runs"], estimates["replays"]) == (SIZE, 27, 100)
    unchanged = estimates["unchanged"]
    assert unchanged["blocked"]["count"] == 0
    assert 20 <= unchanged["flipping"]["count"] <= 50
    assert unchanged["blocked"]["high"] == pytest.approx(0.037, abs=1e-3)
    assert [each["share_of_calls"] for each in estimates["moved"]] == [1.0, 0.6]
    lines = calibrate("--replays", "100").splitlines()
    assert lines[1] == "100 replays of 27 runs with 4 cases, by rules 1; 95 % intervals"
    assert "  run blocked           0.0 % (0 of 100, 0.0–3.7 %)" in lines
    assert "One label moved in 60 % of its calls" in lines


def test_bad_input_exits_with_2_and_names_the_value() -> None:
    with pytest.raises(CommandError, match="known: none yet; send a report first") as refused:
        calibrate()
    assert refused.value.returncode == 2
    with pytest.raises(CommandError, match="from 100 to 100000, got '7'"):
        calibrate("--replays", "7")
