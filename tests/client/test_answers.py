"""What is read out of the responses of the real SDKs."""

import hashlib
import math
from typing import Any

import pytest

from tests.client import answers, shapes
from triage.client import Token, label_evidence, read_answer

LABELS = ("fraud", "billing", "shipping")
CHAT_TEXT = '{"label": "fraud"}'
MESSAGE_TEXT = 'fraud {"label": "fraud"}'


def sha256(text: str) -> str:
    """Return the digest of text."""
    return hashlib.sha256(text.encode()).hexdigest()


def test_openai_chat_completions() -> None:
    answer = read_answer(answers.chat_completion())

    assert answer.response_id == "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG"
    assert answer.properties == {
        "gen_ai.response.model": "gpt-4.1-mini-2025-04-14",
        "gen_ai.provider.name": "openai",
        "gen_ai.openai.response.system_fingerprint": "fp_b376dfbbd5",
        "gen_ai.usage.input_tokens": "2006",
        "gen_ai.usage.cache_read.input_tokens": "1920",
        "tiebreak.accepted_prediction_tokens": "3",
        "tiebreak.output_sha256": sha256(CHAT_TEXT),
    }
    found = label_evidence(answer.tokens, "fraud", LABELS)
    assert found.confidence == pytest.approx(math.exp(-0.7))
    assert found.margin == pytest.approx(0.3)


def test_openai_responses() -> None:
    answer = read_answer(answers.response())

    assert answer.response_id.startswith("resp_")
    assert answer.properties == {
        "gen_ai.response.model": "gpt-4.1-2025-04-14",
        "gen_ai.provider.name": "openai",
        "gen_ai.usage.input_tokens": "36",
        "gen_ai.usage.cache_read.input_tokens": "12",
        "tiebreak.output_sha256": sha256("fraud"),
    }
    assert label_evidence(answer.tokens, "fraud", LABELS).margin == pytest.approx(1.5)


def test_anthropic_messages_count_what_a_cache_answered_for() -> None:
    answer = read_answer(answers.message())

    assert answer.response_id == "msg_013Zva2CMHLNnXjNJJKqJ2EF"
    assert answer.properties == {
        "gen_ai.response.model": "claude-sonnet-4-5-20250929",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.usage.input_tokens": "1209",
        "gen_ai.usage.cache_read.input_tokens": "1000",
        "tiebreak.output_sha256": sha256(MESSAGE_TEXT),
    }
    assert label_evidence(answer.tokens, "fraud").confidence is None


def test_google_content_leaves_thoughts_out() -> None:
    answer = read_answer(answers.content())

    assert answer.response_id == "Zm9vYmFy"
    assert answer.properties == {
        "gen_ai.response.model": "gemini-2.5-flash",
        "gen_ai.provider.name": "gcp.gen_ai",
        "gen_ai.usage.input_tokens": "100",
        "gen_ai.usage.cache_read.input_tokens": "64",
        "tiebreak.output_sha256": sha256("fraud"),
    }
    found = label_evidence(answer.tokens, "fraud", LABELS)
    assert (found.confidence, found.margin) == (pytest.approx(math.exp(-0.5)), pytest.approx(0.5))


@pytest.mark.parametrize(
    "told",
    [shapes.FRAUD_CHAT, shapes.FRAUD_RESPONSE, shapes.FRAUD_MESSAGE, shapes.FRAUD_CONTENT],
)
def test_a_mapping_of_the_same_shape_does_as_well(told: dict[str, Any]) -> None:
    by_type = {
        id(shapes.FRAUD_CHAT): answers.chat_completion,
        id(shapes.FRAUD_RESPONSE): answers.response,
        id(shapes.FRAUD_MESSAGE): answers.message,
        id(shapes.FRAUD_CONTENT): answers.content,
    }
    typed, plain = read_answer(by_type[id(told)]()), read_answer(told)

    assert plain.tokens == typed.tokens
    without_provider = {k: v for k, v in typed.properties.items() if "provider" not in k}
    assert plain.properties == without_provider


@pytest.mark.parametrize("response", [42, None, [], {"choices": []}, iter("ab")])
def test_what_cannot_be_read_is_named(response: object) -> None:
    with pytest.raises(TypeError, match=f"got {type(response).__name__}; of a stream, give"):
        read_answer(response)


def tokens(*told: tuple[str, float, dict[str, float]]) -> list[Token]:
    """Return tokens with what was nearly written in their place."""
    return [Token(text, logprob, tuple(others.items())) for text, logprob, others in told]


def test_the_margin_is_where_the_labels_part() -> None:
    """The first token is the same for both; the second one decides."""
    written = tokens(
        ("bill", -0.01, {"ship": -5.0}), ("_late", -0.4, {"_early": -1.2}), ("\n", 0.0, {})
    )

    found = label_evidence(written, "bill_late", ["bill_late", "bill_early", "ship"])

    assert found.margin == pytest.approx(0.8)


def test_another_spelling_of_the_label_is_no_other_label() -> None:
    written = tokens((' "fraud', -0.1, {' "Fraud': -0.2, ' "fr': -0.3, ' "bill': -2.1}))

    assert label_evidence(written, "fraud", LABELS).margin == pytest.approx(2.0)
    assert label_evidence(written, "fraud").margin == pytest.approx(2.0)


def test_the_last_occurrence_of_a_label_counts() -> None:
    written = tokens(("fraud", -3.0, {}), ("? Yes: ", 0.0, {}), ("fraud", -0.1, {}))

    assert label_evidence(written, "fraud").confidence == pytest.approx(math.exp(-0.1))


def test_a_label_that_is_not_in_the_answer_has_no_evidence() -> None:
    written = tokens(("A", -0.1, {"B": -0.2}))

    found = label_evidence(written, "fraud", LABELS)

    assert (found.confidence, found.margin) == (None, None)


def test_a_label_that_was_less_likely_than_another_has_a_margin_from_0() -> None:
    written = tokens(("fraud", -1.5, {"billing": -0.5}))

    assert label_evidence(written, "fraud", LABELS).margin == pytest.approx(1.0)
