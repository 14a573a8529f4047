"""What a test told about its LLM calls."""

import json

import pytest

from triage.parse.evidence import read_evidence
from triage.parse.report import NO_EVIDENCE, Evidence, Observation
from triage.terms import Assertion


def evidence(*properties: tuple[str, str]) -> Evidence:
    """Read properties in which nothing is wrong."""
    found, problems = read_evidence(properties)
    assert problems == []
    return found


def problem(name: str, value: str) -> str:
    """Return the one warning that a property gets; nothing is read of it."""
    found, problems = read_evidence([(name, value)])
    assert found is NO_EVIDENCE
    (message,) = problems
    return message


def test_every_property_of_the_conventions_is_read() -> None:
    assert evidence(
        ("gen_ai.request.model", "gpt-4.1-mini"),
        ("gen_ai.response.model", "gpt-4.1-mini-2025-04-14"),
        ("gen_ai.provider.name", "openai"),
        ("gen_ai.request.temperature", "0"),
        ("gen_ai.request.seed", "7"),
        ("gen_ai.openai.response.system_fingerprint", "fp_1"),
        ("gen_ai.usage.cache_read.input_tokens", "128"),
        ("gen_ai.usage.input_tokens", "200"),
        ("tiebreak.accepted_prediction_tokens", "3"),
        ("gen_ai.response.id", "chatcmpl-1"),
        ("tiebreak.calls", "2"),
        ("tiebreak.assertion", "parsed"),
        ("tiebreak.labels", "fraud, billing,fraud"),
        ("tiebreak.output_sha256", "ab"),
        ("tiebreak.prompt_sha256", "cd"),
        ("tiebreak.test_sha256", "ef"),
    ) == Evidence(
        model_requested="gpt-4.1-mini",
        model_answered="gpt-4.1-mini-2025-04-14",
        provider="openai",
        temperature=0.0,
        seed=7,
        system_fingerprint="fp_1",
        cached_tokens=128,
        input_tokens=200,
        accepted_prediction_tokens=3,
        response_id="chatcmpl-1",
        calls=2,
        assertion=Assertion.PARSED,
        labels=("fraud", "billing"),
        output_sha256="ab",
        prompt_sha256="cd",
        test_sha256="ef",
    )


@pytest.mark.parametrize(
    ("expected", "observed"),
    [
        ("tiebreak.expected_label", "tiebreak.label"),
        ("label.expected", "label.actual"),
        ("evals.expected", "evals.actual"),
    ],
)
def test_a_pair_of_labels_is_an_observation_under_every_name(expected: str, observed: str) -> None:
    assert evidence((expected, "fraud"), (observed, "billing")).observations == (
        Observation("fraud", "billing"),
    )


def test_one_expected_label_serves_several_calls_with_their_confidences() -> None:
    found = evidence(
        ("tiebreak.expected_label", "fraud"),
        ("tiebreak.label", "fraud"),
        ("tiebreak.confidence", "0.9"),
        ("tiebreak.label", "billing"),
        ("tiebreak.confidence", "0.5"),
        ("tiebreak.margin", "0.1"),
    )

    # One margin for two labels belongs to neither.
    assert found.observations == (
        Observation("fraud", "fraud", 0.9),
        Observation("fraud", "billing", 0.5),
    )


def test_observations_as_json_are_read_with_what_is_legal_of_each() -> None:
    told = [
        {"id": "a", "expected": "fraud", "observed": "billing", "confidence": 0.5, "margin": 0.1},
        {"expected": "fraud", "observed": None, "confidence": 2, "margin": -1},
        {"expected": 1, "observed": "a\0b\ud800"},
    ]

    assert evidence(("tiebreak.observations", json.dumps(told))).observations == (
        Observation("fraud", "billing", 0.5, 0.1, "a"),
        Observation("fraud", None),
        Observation("1", "a\N{REPLACEMENT CHARACTER}b?"),
    )


def test_a_closed_set_may_be_a_json_array() -> None:
    assert evidence(("tiebreak.labels", '["fraud", "a, b", ""]')).labels == ("fraud", "a, b")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("tiebreak.confidence", "nan", "must lie in [0, 1], got 'nan'"),
        ("tiebreak.confidence", "high", "must lie in [0, 1], got 'high'"),
        ("tiebreak.margin", "-1", "must be a number of nats from 0, got '-1'"),
        ("tiebreak.calls", "0", "must be a whole number from 0, got '0'"),
        ("gen_ai.request.seed", "1.5", "must be a whole number from 0, got '1.5'"),
        ("gen_ai.request.temperature", "-1", "must be a number from 0, got '-1'"),
        (
            "tiebreak.assertion",
            "vibes",
            "must be one of bytes, parsed, invariant, judge, got 'vibes'",
        ),
        ("tiebreak.labels", "[fraud", "must be a JSON array or a comma list, got '[fraud'"),
        ("tiebreak.observations", "{", "must be a JSON array of objects with id, expected, "),
        ("tiebreak.observations", "[1]", "must be a JSON array of objects with id, expected, "),
        ("tiebreak.observations", "[" * 9_000, "must be a JSON array of objects with id, "),
    ],
)
def test_what_is_not_legal_is_left_out_and_named(name: str, value: str, message: str) -> None:
    assert problem(name, value).startswith(f"{name} {message}")


def test_other_properties_are_no_evidence() -> None:
    assert evidence(("owner", "me"), ("gen_ai.response.model", "")) is NO_EVIDENCE


def test_a_score_of_pytest_evals_marks_an_llm_case() -> None:
    found = evidence(("evals.scores.accuracy.value", "0.5"))

    assert found is not NO_EVIDENCE
    assert found == Evidence()
