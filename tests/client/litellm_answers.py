"""What is read out of LiteLLM's responses; ``make test-litellm`` runs it where LiteLLM is.

LiteLLM with what it needs is larger than all other development packages together, and looks for
prices in the network when it is imported.
"""

import litellm
import pytest

from tests.client.shapes import FRAUD_CHAT
from triage.client import label_evidence, read_answer


@pytest.fixture
def response() -> litellm.ModelResponse:
    """Return a response as LiteLLM makes it of the one of a provider."""
    made = litellm.ModelResponse(**FRAUD_CHAT)
    made._hidden_params = {"custom_llm_provider": "azure"}
    return made


def test_litellm_names_the_provider_that_it_asked(response: litellm.ModelResponse) -> None:
    answer = read_answer(response)

    assert answer.response_id == FRAUD_CHAT["id"]
    assert answer.properties["gen_ai.provider.name"] == "azure"
    assert answer.properties["gen_ai.response.model"] == FRAUD_CHAT["model"]
    assert answer.properties["gen_ai.openai.response.system_fingerprint"] == "fp_b376dfbbd5"
    assert answer.properties["gen_ai.usage.input_tokens"] == "2006"
    assert answer.properties["gen_ai.usage.cache_read.input_tokens"] == "1920"


def test_litellm_passes_log_probabilities_on(response: litellm.ModelResponse) -> None:
    found = label_evidence(read_answer(response).tokens, "fraud", ["fraud", "billing"])

    assert found.margin == pytest.approx(0.3)
