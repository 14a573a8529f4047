"""The evals of a support bot, as its team writes them; a test copies them into a job of CI."""

import json
import os
import urllib.request
from pathlib import Path
from typing import Any

import pytest

LABELS = ["fraud", "billing", "shipping"]
TICKETS = {
    "My card was charged by a stranger.": "fraud",
    "A charge that I do not know, from your shop.": "fraud",
    "I was charged twice.": "billing",
    "The invoice lacks my VAT number.": "billing",
    "The parcel never came.": "shipping",
}
REPLIES = {
    "Say that the money is on its way.": "I have refunded it.",
    "Say that the parcel is late.": "It will come tomorrow.",
    "Say goodbye.": "Goodbye!",
}


def ask(llm: Any, user: str, **told: Any) -> str:
    """Ask the model, and record the call with what the caller makes of the answer."""
    messages = [
        {"role": "system", "content": Path("prompt.txt").read_text()},
        {"role": "user", "content": user},
    ]
    request = {"model": "acme-llm", "messages": messages, "temperature": 0, "logprobs": True}
    address = f"{os.environ['LLM_URL']}/chat/completions"
    with urllib.request.urlopen(address, json.dumps(request).encode()) as response:
        completion = json.load(response)
    answer: str = completion["choices"][0]["message"]["content"]
    if "expected" in told:
        told |= {"label": answer, "labels": LABELS}
    llm.record(completion, request=request, **told)
    return answer


@pytest.mark.parametrize(("ticket", "label"), TICKETS.items(), ids=range(len(TICKETS)))
def test_label(llm: Any, ticket: str, label: str) -> None:
    """Every ticket gets its label."""
    assert ask(llm, ticket, expected=label, assertion="parsed") == label


@pytest.mark.parametrize(("task", "reply"), REPLIES.items(), ids=range(len(REPLIES)))
def test_reply(llm: Any, task: str, reply: str) -> None:
    """Every reply has the words that it always had."""
    assert ask(llm, task, assertion="bytes") == reply
