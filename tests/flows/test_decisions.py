"""The main job: runs of a real shape go in, and each failure gets its finding."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from budgets.models import Charge
from tests.flows.suites import (
    CRASH,
    FLIP,
    RATE_LIMIT,
    WORDING,
    CaseRun,
    history,
    judged,
    only,
    sha,
    suite,
    take,
    upload,
)
from triage.models import Epoch, EpochDay, Escalation, Finding, Result, Run
from triage.publish.text import verdict_text
from triage.terms import Difference, FindingKind

pytestmark = pytest.mark.django_db

SIZE = 6
CASE = "test_ticket[2]"
PR = {"pr": 42, "branch": "feature"}


def repeated(case: CaseRun, times: int, number: int = 900, **told: Any) -> dict[str, Any]:
    """Take one failing attempt and its repeats as attempts of one CI run."""
    document: dict[str, Any] = {}
    for attempt in range(1, times + 1):
        document = take(suite(SIZE, case), number, run_id="ci-7", attempt=attempt, **PR, **told)
    return document


def test_a_first_wording_difference_with_equal_labels_is_an_expected_flake() -> None:
    history(SIZE)

    document = take(suite(SIZE, CaseRun(CASE, WORDING)), 30, **PR)

    finding = only(document)
    assert (finding["finding"], finding["difference"]) == ("expected_flake", "text")
    assert (document["conclusion"], document["exit_code"]) == ("passed_with_flakes", 0)
    assert finding["rate"]["calls"] == 12
    assert finding["budget"]["spent"] == 1
    assert Charge.objects.count() == 1


def test_the_same_case_with_another_label_is_held_and_never_charged() -> None:
    history(SIZE)

    document = take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 30, **PR)

    finding = only(document)
    assert (finding["finding"], finding["difference"]) == ("near_tie", "label")
    assert (finding["expected"], finding["observed"]) == ("fraud", "billing")
    assert finding["budget"] is None
    assert finding["second_pass"] == {"needed": 3, "done": 0, "agree": 0}
    assert document["second_pass"]["repeats"] == 3
    assert (document["conclusion"], document["exit_code"]) == ("on_hold", 3)
    assert not Charge.objects.exists()


def test_a_label_that_stays_away_through_its_repeats_is_a_regression() -> None:
    history(SIZE)

    document = repeated(CaseRun(CASE, FLIP, "billing"), 4)

    assert only(document)["finding"] == "label_regression"
    assert document["exit_code"] == 1


def test_repeating_a_moved_label_until_it_passes_takes_nothing_back() -> None:
    history(SIZE)
    repeated(CaseRun(CASE, FLIP, "billing"), 4)

    for attempt in range(5, 9):
        document = take(suite(SIZE), 900, run_id="ci-7", attempt=attempt, **PR)

    assert only(document)["finding"] == "label_regression"


def test_a_flip_that_three_repeats_do_not_show_again_is_settled_and_not_charged() -> None:
    history(SIZE)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 900, run_id="ci-7", **PR)

    for attempt in (2, 3, 4):
        document = take(suite(SIZE), 900, run_id="ci-7", attempt=attempt, **PR)

    finding = only(document)
    assert (finding["finding"], document["exit_code"]) == ("settled_tie", 0)
    assert finding["second_pass"] == {"needed": 3, "done": 3, "agree": 3}
    assert not Charge.objects.exists()


def test_the_order_in_which_attempts_arrive_does_not_matter() -> None:
    history(SIZE)
    for attempt in (3, 2, 4):
        take(suite(SIZE), 900, run_id="ci-7", attempt=attempt, **PR)
    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 900, run_id="ci-7", attempt=1, **PR)

    latest = Run.objects.get(sha=sha(900), attempt=4)
    assert only(judged(latest))["finding"] == "settled_tie"


def test_repeats_inside_one_report_are_the_second_pass_too() -> None:
    history(SIZE)
    names = [f"{CASE[:-1]}-{index}-4]" for index in range(1, 5)]
    repeats = [
        CaseRun(names[0], FLIP, "billing"),
        *(CaseRun(name) for name in names[1:]),
    ]
    others = [case for case in suite(SIZE) if case.name != CASE]

    document = take([*others, *repeats], 30, **PR)

    assert only(document)["finding"] == "settled_tie"


def test_a_retry_that_passed_does_not_excuse_a_flip() -> None:
    history(SIZE)
    first, second = CaseRun(CASE, FLIP, "billing"), CaseRun(CASE)
    others = [case for case in suite(SIZE) if case.name != CASE]

    document = take([*others, first, second], 30, **PR)

    assert only(document)["finding"] == "near_tie"
    assert document["exit_code"] == 3


def test_a_rate_that_rose_from_three_to_twenty_five_percent_is_over_budget() -> None:
    for number in range(1, 41):
        flakes = [CaseRun(CASE, WORDING)] if number == 20 else []
        take(suite(SIZE, *flakes), number)

    found = [
        document["findings"][0]["finding"]
        for number in range(41, 81)
        if number % 4 == 0
        for document in [take(suite(SIZE, CaseRun(CASE, WORDING)), number)]
    ]

    assert found[0] == "expected_flake"
    assert found[-1] == "over_budget"
    assert found == sorted(found)


def test_an_endpoint_that_failed_is_neither_a_flake_nor_a_regression() -> None:
    history(SIZE)

    document = take(suite(SIZE, CaseRun(CASE, RATE_LIMIT, None)), 30, **PR)

    assert only(document)["finding"] == "provider_error"
    assert document["exit_code"] == 0
    epoch = Epoch.objects.get(case__name=CASE)
    assert (epoch.calls, epoch.provider) == (12, 1)


def test_a_crash_on_every_repeat_is_a_regression() -> None:
    history(SIZE)

    first = repeated(CaseRun(CASE, CRASH, None), 1)
    last = repeated(CaseRun(CASE, CRASH, None), 4)

    assert only(first)["finding"] == "undecided"
    assert (only(last)["finding"], last["exit_code"]) == ("regression", 1)


def test_a_failure_that_the_base_shows_in_the_same_way_is_inherited() -> None:
    history(SIZE)
    take(suite(SIZE, CaseRun(CASE, CRASH, None)), 25)

    document = take(suite(SIZE, CaseRun(CASE, CRASH, None)), 30, base_sha=sha(25), **PR)

    assert only(document)["finding"] == "inherited"
    assert document["exit_code"] == 0


def test_another_failure_than_the_base_s_is_not_inherited() -> None:
    history(SIZE)
    take(suite(SIZE, CaseRun(CASE, CRASH, None)), 25)
    other = CaseRun(CASE, "E       IndexError: list index out of range", None)

    assert only(take(suite(SIZE, other), 30, base_sha=sha(25), **PR))["finding"] == "undecided"


def test_a_new_snapshot_starts_a_history_of_its_own_and_blocks_nothing_by_itself() -> None:
    history(SIZE)
    new = {"gen_ai.response.model": "acme-llm-2026-11-20"}
    flipped = CaseRun(CASE, FLIP, "billing", new)
    for attempt in range(1, 12):
        document = take(suite(SIZE, flipped), 900, run_id="ci-7", attempt=attempt, **PR)

    finding = only(document)
    assert finding["finding"] == "near_tie"
    assert "new epoch: 0 of 10 calls" in finding["reason"]
    assert Escalation.objects.count() == 1
    assert Epoch.objects.filter(case__name=CASE).count() == 2


def test_a_snapshot_that_changed_is_told_from_a_prompt_that_changed() -> None:
    history(SIZE, 3)
    snapshot = {"gen_ai.response.model": "acme-llm-2026-11-20"}
    prompt = {"tiebreak.prompt_sha256": "f" * 64}

    new_model = take(suite(SIZE, CaseRun(CASE, properties=snapshot)), 30, **PR)
    first_prompt = take(suite(SIZE, CaseRun(CASE, properties=prompt)), 31, **PR)
    prompt = {"tiebreak.prompt_sha256": "e" * 64}
    new_prompt = take(suite(SIZE, CaseRun(CASE, properties=prompt)), 32, **PR)

    assert new_model["warnings"] == [
        "The model snapshot changed from acme-llm-2026-09-01 to acme-llm-2026-11-20 for 1 case: "
        "the provider changed, whatever this commit did. Their histories start anew, and nothing "
        "blocks by itself before 10 calls."
    ]
    assert first_prompt["warnings"][0].startswith(
        "The prompt changed from unknown to ffffffffff for 1 case: it is told for the first time"
    )
    assert new_prompt["warnings"][0].startswith(
        "The prompt changed from ffffffffff to eeeeeeeeee for 1 case: that is a change of the tests"
    )


def test_an_alias_that_pins_no_snapshot_is_named() -> None:
    alias = {"gen_ai.request.model": "acme-llm"}

    document = take([CaseRun(CASE, label=None, properties=alias)], 30)

    assert document["warnings"][0].startswith("acme-llm is an alias and names no snapshot (1 case)")


def test_what_a_change_breaks_stays_out_of_the_history_and_what_main_does_stays_in() -> None:
    history(SIZE)
    repeated(CaseRun(CASE, FLIP, "billing"), 4)

    epoch = Epoch.objects.get(case__name=CASE)
    assert (epoch.calls, epoch.label) == (12, 0)
    assert not Result.objects.filter(case__name=CASE, is_counted=True).exists()

    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 950)
    epoch.refresh_from_db()
    assert (epoch.calls, epoch.label) == (13, 1)


def test_the_tallies_of_days_add_up_to_the_epoch() -> None:
    history(SIZE)
    repeated(CaseRun(CASE, FLIP, "billing"), 4)

    epoch = Epoch.objects.get(case__name=CASE)
    days = EpochDay.objects.filter(epoch=epoch)
    assert sum(day.calls for day in days) == epoch.calls


def test_a_flake_that_turns_out_to_be_a_regression_is_taken_back_from_the_budget() -> None:
    history(SIZE)
    unlabelled = CaseRun(CASE, WORDING, None, {"gen_ai.request.model": "acme-llm"})
    take(suite(SIZE, unlabelled), 900, run_id="ci-7", **PR)
    for attempt in (2, 3, 4):
        take(suite(SIZE), 900, run_id="ci-7", attempt=attempt, **PR)
    assert [charge.amount for charge in Charge.objects.all()] == [1]

    take(suite(SIZE, CaseRun(CASE, FLIP, "billing")), 900, run_id="ci-7", attempt=5, **PR)

    assert sorted(charge.amount for charge in Charge.objects.all()) == [-1, 1]


def test_a_second_upload_of_the_same_part_changes_nothing() -> None:
    history(SIZE)
    cases = suite(SIZE, CaseRun(CASE, WORDING))
    first = take(cases, 30, **PR)
    before = counters()

    again = take(cases, 30, **PR)

    assert again == first
    assert counters() == before


def test_a_part_s_case_counts_once_even_when_its_report_is_written_anew() -> None:
    history(SIZE)
    take(suite(SIZE, CaseRun(CASE, WORDING)), 30, **PR)
    before = counters()

    take(suite(SIZE, CaseRun(CASE, WORDING + " ")), 30, **PR)

    assert counters() == before


def test_parts_make_one_run_and_a_missing_one_makes_it_provisional() -> None:
    history(SIZE)
    cases = suite(SIZE)

    first = take(cases[:3], 30, part="1/2", job="llm", **PR)
    second = take(cases[3:], 30, part="2/2", job="llm", **PR)

    assert (first["conclusion"], first["parts"]) == ("provisional", {"got": 1, "expected": 2})
    assert (second["conclusion"], second["counts"]["passed"]) == ("passed", SIZE)


def test_a_cut_report_holds_and_says_incomplete() -> None:
    history(SIZE)
    from tests.flows.suites import REPO, report
    from triage import pipeline
    from triage.parse.archives import UploadedFile
    from triage.upload.acceptance import accept
    from triage.upload.submission import Submission

    whole = report(suite(SIZE))
    cut = UploadedFile("junit.xml", whole[: len(whole) // 2])
    accepted = accept(Submission(repo=REPO, sha=sha(30), files=(cut,)))
    pipeline.process(accepted.upload.pk)

    document = judged(accepted.upload.run)
    assert document["conclusion"] == "on_hold"
    assert "INCOMPLETE" in document["headline"]["text"]


def test_more_failures_than_due_are_named_as_one_cause() -> None:
    size = 30
    history(size)

    document = take(
        suite(size, *(CaseRun(f"test_ticket[{n}]", WORDING) for n in range(12))), 30, **PR
    )

    assert document["suite"]["observed_failures"] == 12
    assert document["suite"]["p_value"] < 0.001
    assert document["suite"]["is_burst"]
    assert document["headline"]["text"].startswith("Safe to merge: all 12 failures are expected")
    assert "(12 failures where" in document["headline"]["text"]


def test_what_a_burst_leaves_open_is_one_notice_with_the_names() -> None:
    size = 30
    history(size)
    cases = [CaseRun(f"test_ticket[{n}]", CRASH) for n in range(12)]

    text = verdict_text(take(suite(size, *cases), 30, **PR))

    assert text.count("the second pass is open") == 0
    assert text.count("UNDECIDED  tests.evals.test_refunds::test_ticket") == 12
    assert "On hold: 12 undecided failures, no proven regression (12 failures where" in text


def test_one_failure_in_a_quiet_suite_is_no_burst() -> None:
    history(SIZE)

    document = repeated(CaseRun(CASE, FLIP, "billing"), 4)

    assert document["suite"]["p_value"] < 0.05
    assert document["warnings"] == []
    assert only(document)["finding"] == "label_regression"


def test_cases_that_share_a_call_are_one_failure_and_one_charge() -> None:
    size = 30
    history(size)
    shared = {"gen_ai.response.id": "resp-1"}

    document = take(
        suite(size, *(CaseRun(f"test_ticket[{n}]", WORDING, "fraud", shared) for n in range(12))),
        30,
        **PR,
    )

    assert document["suite"]["observed_failures"] == 1
    assert Charge.objects.count() == 1


def test_a_killed_process_leaves_work_that_the_next_one_finishes() -> None:
    history(SIZE)
    from triage import outbox, pipeline
    from triage.terms import UploadState

    taken = upload(suite(SIZE, CaseRun(CASE, WORDING)), 30, **PR)
    before = counters()
    type(taken).objects.filter(pk=taken.pk).update(state=UploadState.RECORDED)

    assert pipeline.sweep() == 0
    outbox.release_all()
    assert pipeline.sweep() == 1

    taken.refresh_from_db()
    assert taken.state == UploadState.JUDGED
    assert counters() == before


def counters() -> dict[str, Any]:
    """Return everything that must not be counted twice."""
    return {
        "calls": sorted(Epoch.objects.values_list("case_id", "calls", "text", "label", "results")),
        "results": Result.objects.count(),
        "charges": sorted(Charge.objects.values_list("event", "amount")),
        "findings": Finding.objects.filter(verdict__is_current=True).count(),
    }


OUTCOMES = st.sampled_from(["pass", "wording", "flip", "crash", "retry"])


class RandomHistories(TestCase):
    """Whatever happened before, a flip is neither excused nor charged."""

    @settings(max_examples=12, suppress_health_check=list(HealthCheck))
    @given(st.lists(OUTCOMES, min_size=1, max_size=14))
    def test_no_history_turns_a_flip_into_a_flake(self, outcomes: list[str]) -> None:
        for number, outcome in enumerate(outcomes, start=1):
            told = PR if number % 3 == 0 else {}
            take(suite(3, *of_outcome(outcome)), number, **told)
        take(suite(3, CaseRun(CASE, FLIP, "billing")), 90, **PR)

        flips = Finding.objects.filter(difference=Difference.LABEL)
        assert flips.exists()
        assert not flips.filter(
            kind__in=[FindingKind.EXPECTED_FLAKE, FindingKind.OVER_BUDGET]
        ).exists()
        flipped = set(
            Result.objects.filter(difference=Difference.LABEL).values_list("pk", flat=True)
        )
        charged = {
            int(event.split(":")[1]) for event in Charge.objects.values_list("event", flat=True)
        }
        assert not flipped & charged


def of_outcome(outcome: str) -> list[CaseRun]:
    """Return the changed case of a run."""
    return {
        "pass": [],
        "wording": [CaseRun(CASE, WORDING)],
        "flip": [CaseRun(CASE, FLIP, "billing")],
        "crash": [CaseRun(CASE, CRASH, None)],
        "retry": [CaseRun(CASE, FLIP, "shipping")],
    }[outcome]
