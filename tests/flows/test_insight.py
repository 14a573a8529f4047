"""What a history lets one say: conditions, associations, advice, one epoch against the next."""

from typing import Any

import pytest
from django.test import Client

from tests.flows.suites import (
    FLIP,
    REPO,
    SNAPSHOT,
    WORDING,
    CaseRun,
    history,
    suite,
    take,
)
from tests.web.pages.reading import text
from triage.models import Case, EpochCircumstance, Told
from triage.upload.acceptance import find_or_add_repository
from triage.upload.tokens import create_token

pytestmark = pytest.mark.django_db

FINGERPRINT = "gen_ai.openai.response.system_fingerprint"
CACHED = "gen_ai.usage.cache_read.input_tokens"


def path_of(name: str) -> str:
    """Return the address of a case."""
    return f"/cases/{Case.objects.get(name=name).pk}/"


def told(name: str, fingerprint: str, failure: str = "") -> CaseRun:
    """Return a case that tells the fingerprint of its backend."""
    return CaseRun(name, failure, properties={FINGERPRINT: fingerprint, CACHED: "0"})


def runs_by_fingerprint(runs: int) -> None:
    """Take runs on two backends in turn; only one of them differs in its wording."""
    for number in range(1, runs + 1):
        name = f"fp_{number % 2}"
        failure = WORDING if number % 2 else ""
        cases = [told(f"test_ticket[{at}]", name, failure) for at in range(12)]
        take(cases, number)


def test_divergences_of_one_backend_are_associated_with_it() -> None:
    runs_by_fingerprint(20)

    page = text(f"/r/{REPO}/")

    row = page[page.index("system fingerprint</th>") :]
    assert row.index("associated") < row.index("</tr>")
    assert "Associated is not caused." in page


def test_thin_data_are_called_insufficient_instead_of_given_a_p_value() -> None:
    runs_by_fingerprint(4)

    page = text(path_of("test_ticket[0]"))

    assert "insufficient (2 of ~" in page


def test_calls_are_counted_by_their_circumstances() -> None:
    take([told("test_ticket[0]", "fp_1"), told("test_ticket[1]", "fp_1", WORDING)], 1)

    rows = EpochCircumstance.objects.order_by("epoch__case__name")

    assert [(row.fingerprint, row.calls, row.wording) for row in rows] == [
        ("fp_1", 1, 0),
        ("fp_1", 1, 1),
    ]
    assert {row.cache_hit for row in rows} == {Told.NO}
    assert {row.speculation for row in rows} == {Told.NOT_TOLD}


def test_a_proven_regression_of_a_change_leaves_the_circumstances_again() -> None:
    history(4)
    before = list(EpochCircumstance.objects.order_by("pk").values_list("calls", "label"))
    for attempt in range(1, 5):
        changed = CaseRun("test_ticket[1]", FLIP, "billing")
        take([changed], 30, pr=7, run_id="ci", attempt=attempt)

    after = EpochCircumstance.objects.filter(label__gt=0)

    assert not after.exists()
    assert sum(calls for calls, _ in before) == sum(
        EpochCircumstance.objects.values_list("calls", flat=True)
    )


def test_a_provider_that_names_every_call_anew_fills_no_table() -> None:
    for number in range(1, 26):
        take([told("test_ticket[0]", f"fp_{number}")], number)

    names = set(EpochCircumstance.objects.values_list("fingerprint", flat=True))

    assert len(names) == 21
    assert "(others)" in names


def test_the_conditions_say_how_many_more_divergences_they_need() -> None:
    history(2)

    page = text(path_of("test_ticket[0]"))

    assert "0 of 12 calls differed; 2 more divergences or 112 more calls could settle it" in page
    assert "cannot tell" in page


def test_wording_that_differs_while_the_label_stays_is_byte_sensitive() -> None:
    for number in range(1, 15):
        failure = WORDING if number % 2 else ""
        take([CaseRun("test_ticket[0]", failure)], number)

    page = text(path_of("test_ticket[0]"))

    assert "the label stayed in 7 of 7 recent divergences" in page
    assert "Assert on the parsed field: the label agreed in 7 of 7 divergences" in page


def test_what_the_test_says_that_it_compares_settles_the_third_condition() -> None:
    told_bytes = {"tiebreak.assertion": "bytes"}
    take([CaseRun("test_ticket[0]", properties=told_bytes)], 1)
    assert "the test compares bytes; the label stayed in 0 of 0" in text(path_of("test_ticket[0]"))

    take([CaseRun("test_ticket[0]", properties={"tiebreak.assertion": "parsed"})], 2)
    assert "the test compares parsed" in text(path_of("test_ticket[0]"))


def test_a_class_that_flips_is_advised_a_threshold_and_the_property_it_lacks() -> None:
    for number in range(1, 11):
        label = "billing" if number % 5 == 0 else "fraud"
        failure = FLIP if label == "billing" else ""
        take([CaseRun("test_ticket[0]", failure, label)], number)

    page = text(path_of("test_ticket[0]"))

    assert "Route this class by a confidence threshold: its label flipped in 2 of 10" in page
    assert "tiebreak.confidence" in page


def test_a_new_snapshot_is_the_provider_s_change_and_compared_with_the_old_one() -> None:
    history(2)
    newer = {"gen_ai.response.model": "acme-llm-2026-10-01"}
    for number in range(13, 26):
        flips = number % 2
        told_label = "billing" if flips else "fraud"
        changed = CaseRun("test_ticket[0]", FLIP if flips else "", told_label, newer)
        take(suite(2, changed), number)

    page = text(path_of("test_ticket[0]"))

    assert f"The model snapshot changed from <bdi><code>{SNAPSHOT}</code></bdi>" in page
    assert "the provider changed" in page
    assert "The rates differ by more than chance." in page


def test_a_new_prompt_is_a_change_of_your_own() -> None:
    for number in range(1, 4):
        told_prompt = {"tiebreak.prompt_sha256": str(number // 2) * 64}
        take([CaseRun("test_ticket[0]", properties=told_prompt)], number)

    page = text(path_of("test_ticket[0]"))

    assert "a change of your own" in page
    assert "Too few calls to compare the rates." in page


def test_a_prompt_and_a_snapshot_that_change_together_cannot_be_told_apart() -> None:
    for number in (1, 2):
        both = {
            "tiebreak.prompt_sha256": str(number) * 64,
            "gen_ai.response.model": f"acme-llm-{number}",
        }
        take([CaseRun("test_ticket[0]", properties=both)], number)

    page = text(path_of("test_ticket[0]"))

    assert "came together and cannot be told apart" in page
    assert "the provider changed" not in page


def test_a_prompt_that_is_told_for_the_first_time_is_nobody_s_change() -> None:
    take([CaseRun("test_ticket[0]")], 1)
    take([CaseRun("test_ticket[0]", properties={"tiebreak.prompt_sha256": "f" * 64})], 2)

    page = text(path_of("test_ticket[0]"))

    assert "told for the first time" in page
    assert "a change of your own" not in page


def test_cases_without_an_llm_call_stay_out_of_the_repository_s_conditions() -> None:
    plain = CaseRun("test_sum", "E       AssertionError: assert 3 == 4", label=None)
    for number in range(1, 4):
        take([*suite(2), plain], number)

    page = text(f"/r/{REPO}/")

    assert "0 of 6 calls differed" in page


def get(path: str, repo: str = REPO) -> Any:
    """Ask the API with a token of a repository."""
    secret = create_token(find_or_add_repository(repo), "ci")
    return Client().get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {secret}"})


def test_cases_are_listed_and_read_over_the_api() -> None:
    history(3, runs=2)

    listed = get("cases?q=ticket[1]&llm=true").json()
    (found,) = listed["cases"]
    case = get(f"cases/{found['case_id']}").json()

    assert case["name"] == "test_ticket[1]"
    assert case["epochs"][0]["calls"] == 2
    assert case["labels"] == [{"epoch": 1, "expected": "fraud", "observed": "fraud", "calls": 2}]
    assert case["conditions"]["applies"] == "cannot tell"
    assert (case["rate"]["divergent"], case["rate"]["calls"]) == (0, 2)
    assert case["advice"] == []


def test_the_api_gives_the_advice_of_the_page() -> None:
    for number in range(1, 15):
        take([CaseRun("test_ticket[0]", WORDING if number % 2 else "")], number)

    case = get(f"cases/{Case.objects.get().pk}").json()

    assert (case["rate"]["divergent"], case["rate"]["calls"]) == (7, 14)
    assert case["advice"] == [
        "Assert on the parsed field: the label agreed in 7 of 7 divergences, so that many charges "
        "would have been saved."
    ]


def test_a_case_of_another_repository_is_not_there() -> None:
    history(1, runs=1)
    pk = Case.objects.get().pk

    assert get(f"cases/{pk}", "other/repository").status_code == 404
    assert get("cases", "other/repository").json()["cases"] == []
