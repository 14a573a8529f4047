from datetime import timedelta

import pytest
from pydantic import ValidationError

from tests.policy.documents import DESIGNED, only, policy
from triage.policy.document import DEFAULT_POLICY, Gate, LabelRule, Policy, policy_schema
from triage.policy.tie_breaks import Block, Escalate, SecondPass, Threshold
from triage.terms import FindingKind


def test_the_designed_policy_is_read_as_it_is_meant() -> None:
    read = policy(DESIGNED)

    (budget,), (label,) = read.budgets, read.labels
    assert (budget.rate, budget.window_days, budget.window_calls) == (0.024, 30, None)
    assert (budget.on_spent, budget.shared) == ("block", False)
    assert (label.set, label.critical) == (("fraud", "billing", "shipping"), ("fraud",))
    assert label.tie_break == SecondPass(policy="second_pass", passes=5, agree=4)
    assert read.gate == Gate(undecided="hold", provider_error="neutral", inherited="pass")


def test_an_empty_policy_is_the_default_one() -> None:
    assert policy("version: 1\n") == DEFAULT_POLICY
    assert DEFAULT_POLICY.escalations.due_in == timedelta(hours=24)
    assert DEFAULT_POLICY.owners.default == "@team"


@pytest.mark.parametrize(
    ("written", "rate"), [("2.4%", 0.024), ("0.024", 0.024), ("'3 %'", 0.03), ("99%", 0.99)]
)
def test_a_rate_is_a_percentage_or_a_fraction(written: str, rate: float) -> None:
    read = policy(f"version: 1\nbudgets: [{{match: '**', rate: {written}}}]\n")
    assert read.budgets[0].rate == rate


@pytest.mark.parametrize("written", ["0%", "0", "100%", "1", "2.4", "-1", "nan", "many"])
def test_a_rate_outside_its_range_is_refused_with_the_value(written: str) -> None:
    message = only(f"version: 1\nbudgets:\n  - match: '**'\n    rate: {written}\n")
    assert message.startswith("line 4, column 11: budgets[0].rate: ")
    assert "got" in message


def test_a_window_may_be_counted_in_calls() -> None:
    read = policy("version: 1\nbudgets: [{match: '**', rate: 1%, window: 500 calls}]\n")
    assert (read.budgets[0].window_days, read.budgets[0].window_calls) == (None, 500)


@pytest.mark.parametrize("window", ["30", "0d", "401d", "500", "0 calls", "3w", "9999999 calls"])
def test_a_window_that_is_none_is_refused(window: str) -> None:
    assert "500 calls" in only(f"version: 1\nbudgets: [{{match: '**', window: {window}}}]\n")


def test_cases_with_rates_of_their_own_share_no_budget() -> None:
    assert "needs a rate" in only("version: 1\nbudgets: [{match: '**', shared: true}]\n")


LABELS = "version: 1\nlabels:\n  - match: '**'\n    set: [fraud, billing, shipping]\n"


@pytest.mark.parametrize(
    ("written", "tie_break"),
    [
        ("{policy: threshold, confidence: 0.8}", Threshold(policy="threshold", confidence=0.8)),
        ("{policy: second_pass}", SecondPass(policy="second_pass")),
        ("{policy: escalate, to: '@acme/ops', due: 4h}",
         Escalate(policy="escalate", to="@acme/ops", due="4h")),
        ("{policy: block}", Block(policy="block")),
    ],
)  # fmt: skip
def test_each_tie_break_is_read(written: str, tie_break: object) -> None:
    assert policy(f"{LABELS}    tie_break: {written}\n").labels[0].tie_break == tie_break


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("{policy: second_pass, passes: 5, agree: 2}", "more than half of the 5 passes"),
        ("{policy: second_pass, passes: 4, agree: 2}", "more than half of the 4 passes"),
        ("{policy: second_pass, passes: 5, agree: 6}", "at most 5, got 6"),
        ("{policy: second_pass, agree: 2}", "needs passes beside it"),
        ("{policy: second_pass, passes: 21}", "less than or equal to 20, got '21'"),
        ("{policy: threshold, confidence: 0}", "greater than 0, got '0'"),
        ("{policy: threshold, confidence: 1.1}", "less than or equal to 1, got '1.1'"),
        ("{policy: threshold}", "'confidence' is missing"),
        ("{policy: escalate, due: soon}", "must be a time such as 30m, 4h or 2d"),
        ("{policy: escalate, due: 31d}", "at most 30d, got '31d'"),
        ("{policy: escalate, to: a b}", "must be one name"),
        ("{policy: second_pas}", "got 'second_pas'; did you mean 'second_pass'?"),
        ("{passes: 5}", "must say which policy it is"),
        ("second_pass", "must say which policy it is"),
    ],
)
def test_a_tie_break_that_is_not_legal_is_refused(written: str, words: str) -> None:
    assert words in only(f"{LABELS}    tie_break: {written}\n")


def test_a_critical_label_must_be_in_the_set_and_so_must_those_of_pairs() -> None:
    assert "got 'fruad'" in only(f"{LABELS}    critical: [fruad]\n")
    pair = "{labels: [fraud, returns], tie_break: {policy: block}}"
    assert "got 'returns'" in only(f"{LABELS}    pairs: [{pair}]\n")


def test_a_pair_goes_before_its_rule_in_either_direction_and_a_critical_label_before_both() -> None:
    rule = LabelRule.model_validate(
        {
            "match": "**",
            "critical": ["fraud"],
            "tie_break": {"policy": "second_pass"},
            "pairs": [{"labels": ["billing", "shipping"], "tie_break": {"policy": "block"}}],
        }
    )

    assert rule.tie_break_of("shipping", "billing") == Block(policy="block")
    assert rule.tie_break_of("billing", "returns") == SecondPass(policy="second_pass")
    assert rule.tie_break_of("billing", "fraud") is None
    assert rule.is_critical("billing", "fraud")


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("renames: [{from: a::b, to: a::b}]", "must differ"),
        ("renames: [{from: 'a::*', to: a::b}]", "if and only if"),
        ("renames: [{from: 'a*::*', to: 'b::*'}]", "one '*', at the end"),
        ("renames: [{to: b}]", "'from' is missing"),
        ("owners: {default: ''}", "at least 1 character"),
        ("llm_tests: tests/**", "must be a list, got 'tests/**'"),
        ("llm_tests: ['a\\b']", "divide folders by '/'"),
        ("gate: hold", "must be a mapping of undecided, provider_error or inherited, got 'hold'"),
        ("budgets:", "must be a list, got ''"),
    ],
)
def test_a_section_that_is_not_legal_is_refused(section: str, words: str) -> None:
    assert words in only(f"version: 1\n{section}\n")


@pytest.mark.parametrize("finding", list(FindingKind))
@pytest.mark.parametrize("value", ["pass", "neutral", "expected_flake"])
def test_no_key_of_the_gate_speaks_of_a_flip(finding: FindingKind, value: str) -> None:
    text = f"version: 1\ngate: {{{finding}: {value}}}\n"
    excusable = {FindingKind.UNDECIDED, FindingKind.PROVIDER_ERROR, FindingKind.INHERITED}
    if finding not in excusable or value == "expected_flake":
        assert "line 2" in only(text)


@pytest.mark.parametrize("key", ["label_flip", "flips", "ignore_labels", "near_tie"])
def test_a_key_that_would_excuse_a_flip_is_answered_with_the_sentence(key: str) -> None:
    message = only(f"version: 1\ngate: {{{key}: pass}}\n")
    assert "the flake belongs in the budget, the label flip does not" in message


def test_a_label_that_yaml_would_turn_into_something_else_stays_what_was_written() -> None:
    read = policy("version: 1\nlabels: [{match: '**', set: [no, 1.0, true, 0x1F, 2026-12-01]}]\n")
    assert read.labels[0].set == ("no", "1.0", "true", "0x1F", "2026-12-01")


def test_the_schema_is_of_the_draft_that_editors_know_and_describes_every_key() -> None:
    schema = policy_schema()

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert list(schema["properties"]) == list(Policy.model_fields)
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["BudgetRule"]["properties"]["rate"]["examples"] == ["2.4%", 0.024]


def test_a_policy_cannot_be_changed_after_it_is_read() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        DEFAULT_POLICY.gate.undecided = "neutral"  # type: ignore[misc]
